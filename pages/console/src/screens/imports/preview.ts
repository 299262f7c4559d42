import { gatewayUrl } from '../../boot.js';
import { problemOf } from '../../data/problem.js';
import { session } from '../../session/session.js';
import type { UploadSettings } from './upload.js';

export interface PreviewedColumn {
  name: string;
  field: string | null;
  /** Why it must be mapped. */
  problem: string | null;
  values: string[];
}

interface RowError {
  pointer: string;
  message: string;
}

/** The beginning of a file as the gateway reads it. */
export interface Preview {
  format: UploadSettings['format'];
  delimiter?: string;
  /** Of CSV. */
  columns?: PreviewedColumn[];
  /** With which the import would be refused, of fields such as `/map/E-mail`. */
  errors: RowError[];
  rows: { row: number; contact: Record<string, unknown> | null; errors: RowError[] }[];
}

/** What the gateway takes of a file. */
const startBytes = 256 * 1024;

/** @throws Problem */
export async function readPreview(
  file: Blob,
  { map, mode }: Pick<UploadSettings, 'map' | 'mode'>,
  signal: AbortSignal,
): Promise<Preview> {
  const params = new URLSearchParams([['mode', mode], ...map.map((one) => ['map', one])]);
  const response = await session.fetch(`${gatewayUrl}/v1/imports/preview?${params}`, {
    method: 'POST',
    headers: { 'content-type': 'application/octet-stream' },
    body: file.slice(0, startBytes),
    signal,
  });
  if (!response.ok) throw await problemOf(response);
  return ((await response.json()) as { preview: Preview }).preview;
}
