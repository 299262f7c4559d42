import type { ClientPaceLimits } from '../../http/client-pace.js';

export interface ExportLimits extends ClientPaceLimits {
  /** Maximum number of exports in flight of this process. */
  process: number;
  /** Of these, maximum number of one workspace. */
  workspace: number;
  /** Maximum duration of an export. */
  durationMs: number;
}

export const exportLimits: ExportLimits = {
  process: 16,
  workspace: 2,
  durationMs: 3_600_000,
  waitingMs: 30_000,
  bytesPerSecondMin: 64 * 1024,
};

/** An export is broken off, because it has taken too long. */
export class ExportTooLong extends Error {}
