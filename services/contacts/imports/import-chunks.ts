import type { ImportRow } from '@roster/contracts';
import type { Session } from '@roster/storage';
import { selectChunk, type ClaimedImport } from './import-table.js';

/** A row of a chunk, and its text in the file. */
export type StoredRow = ImportRow & { text?: string | undefined };

/** Chunks in memory: imports of several workspaces are applied in turn. */
const chunksMax = 8;

/** The chunks that are being applied. A stored chunk never changes, so it is read and parsed once, not for each of its slices. */
export class ImportChunks {
  readonly #rows = new Map<string, StoredRow[]>();

  async read(
    { workspace_id, id, chunk }: ClaimedImport,
    inner: Session,
  ): Promise<readonly StoredRow[]> {
    const key = `${workspace_id} ${id}`;
    const name = `${key} ${chunk}`;
    const known = this.#rows.get(name);
    if (known) return known;
    const [stored] = await inner.query<{ rows: string }>(selectChunk, [workspace_id, id, chunk]);
    if (!stored) throw new Error(`chunk ${chunk} of an import is missing`);
    const rows = JSON.parse(stored.rows) as StoredRow[];
    this.#rows.delete(`${key} ${chunk - 1}`);
    this.#rows.set(name, rows);
    if (this.#rows.size > chunksMax) this.#rows.delete(this.#rows.keys().next().value!);
    return rows;
  }
}
