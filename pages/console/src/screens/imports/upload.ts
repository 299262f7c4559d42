import { gatewayUrl } from '../../boot.js';
import { offline, Problem, type ProblemDocument } from '../../data/problem.js';
import { session } from '../../session/session.js';

export interface UploadSettings {
  fileName: string;
  format: 'csv' | 'ndjson';
  map: readonly string[];
  delimiter: string | undefined;
  mode: 'upsert' | 'skip';
  events: 'each' | 'summary';
  dryRun: boolean;
}

interface UploadOptions {
  /** The same upload, sent again, has the same. */
  idempotencyKey: string;
  signal: AbortSignal;
  onProgress: (bytes: number) => void;
}

/** An upload must be complete before its token expires. */
const tokenMs = 240_000;
const fileNameMax = 255;
const types = { csv: 'text/csv', ndjson: 'application/x-ndjson' };

/**
 * Sends a file. `fetch` tells nothing of how much was sent: this is why XMLHttpRequest is used.
 *
 * @returns the import, when all rows are stored. One with the key of an upload that was cut is what became of that: it may have failed
 * @throws Problem; the reason of the signal
 */
export async function upload(
  file: Blob,
  settings: UploadSettings,
  { idempotencyKey, signal, onProgress }: UploadOptions,
): Promise<{ id: string; status: string }> {
  const token = await session.token(tokenMs);
  const { format, map, delimiter, mode, events, dryRun } = settings;
  const fileName = settings.fileName.toWellFormed().slice(0, fileNameMax).toWellFormed();
  const params = new URLSearchParams({ mode, events, dryRun: String(dryRun) });
  if (fileName !== '') params.set('fileName', fileName);
  if (format === 'csv') {
    if (delimiter !== undefined) params.set('delimiter', delimiter);
    for (const one of map) params.append('map', one);
  }
  return new Promise((resolve, reject) => {
    const xhr = new XMLHttpRequest();
    xhr.open('POST', `${gatewayUrl}/v1/imports?${params}`);
    xhr.setRequestHeader('authorization', `Bearer ${token}`);
    xhr.setRequestHeader('content-type', types[format]);
    xhr.setRequestHeader('idempotency-key', idempotencyKey);
    xhr.upload.addEventListener('progress', ({ loaded }) => onProgress(loaded));
    xhr.addEventListener('load', () => {
      const answer = parsed(xhr.responseText);
      const { import: created } = answer as { import?: { id: string; status: string } };
      if (xhr.status < 300 && created) resolve(created);
      else
        reject(
          new Problem({
            detail: `Roster answered with status ${xhr.status}.`,
            ...(answer as ProblemDocument),
            status: xhr.status,
          }),
        );
    });
    xhr.addEventListener('error', () => reject(offline()));
    xhr.addEventListener('abort', () => reject(signal.reason as Error));
    signal.addEventListener('abort', () => xhr.abort(), { once: true });
    xhr.send(file);
  });
}

function parsed(text: string): object {
  try {
    return JSON.parse(text) as object;
  } catch {
    return {};
  }
}
