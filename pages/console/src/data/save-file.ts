/** Where a file is written to. */
interface Sink {
  write: (bytes: Uint8Array<ArrayBuffer>) => Promise<void>;
  /** The file is complete. */
  close: () => Promise<void>;
  /** It is not, and is dropped. */
  abort: () => Promise<void>;
}

interface FileWriter {
  write: (bytes: Uint8Array<ArrayBuffer>) => Promise<void>;
  close: () => Promise<void>;
  abort: () => Promise<void>;
}

type Picker = (options: {
  suggestedName: string;
}) => Promise<{ createWritable: () => Promise<FileWriter> }>;

const picker = (): Picker | undefined =>
  (window as { showSaveFilePicker?: Picker }).showSaveFilePicker?.bind(window);

/** Whether a large file is written as it arrives. Otherwise it is held in memory until it is complete. */
export const canStream = (): boolean => picker() !== undefined;

/**
 * @param isLarge asks where to write it, if the browser can; otherwise it becomes a download
 *
 * @throws AbortError when the reader chooses no place
 */
export async function openSink(name: string, type: string, isLarge: boolean): Promise<Sink> {
  const pick = isLarge ? picker() : undefined;
  if (pick) return (await pick({ suggestedName: name })).createWritable();
  let parts: Blob[] = [];
  return {
    // A Blob may be kept on the disk by the browser.
    write: async (bytes) => void parts.push(new Blob([bytes])),
    close: async () => download(new Blob(parts, { type }), name),
    abort: async () => {
      parts = [];
    },
  };
}

/** Hands a file to the downloads of the browser. */
export function download(file: Blob, name: string): void {
  const url = URL.createObjectURL(file);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
