import type { UploadSettings } from './upload.js';

interface HeldFile {
  importId: string;
  file: File;
  settings: UploadSettings;
}

let held: HeldFile | undefined;

/** Remembers the last file, so that a dry run can be followed by the import without choosing the file again. */
export function holdFile(importId: string, file: File, settings: UploadSettings): void {
  held = { importId, file, settings };
}

export const heldFile = (importId: string): HeldFile | undefined =>
  held?.importId === importId ? held : undefined;
