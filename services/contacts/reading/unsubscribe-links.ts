import type { Call } from '@roster/bus';
import { operations, requirePermission, uuidOf, type Caller } from '@roster/contracts';
import type { Database, Statement } from '@roster/storage';
import { randomBytes } from 'node:crypto';
import { unsubscribeToken } from './unsubscribe-token.js';

/** Writes a contact as a call requests it. */
export type WriteContact = (contact: { id: string; json: string }) => string;

type IncludingCall = Pick<Call<{ include?: readonly string[] | undefined }>, 'caller' | 'input'>;

interface Key {
  workspace_id: string;
  key: Buffer;
}

const keyBytes = 32;

/** The addresses at which contacts can unsubscribe. Each workspace has a key, made when its first address is requested. */
export class UnsubscribeLinks {
  readonly #database: Database;
  readonly #publicUrl: string | undefined;

  /** @param publicUrl of the gateways; without it, contacts have no addresses */
  constructor(database: Database, publicUrl: string | undefined) {
    this.#database = database;
    this.#publicUrl = publicUrl;
  }

  /** For each call: adds `unsubscribeUrl` to contacts if the call includes it. */
  async writersOf(calls: readonly IncludingCall[]): Promise<WriteContact[]> {
    const including = calls.filter(({ input }) => input.include?.includes('unsubscribeUrl'));
    if (including.length === 0) return calls.map(() => asStored);
    const allowed = including.filter(({ caller }) => mayUnsubscribe(caller));
    const keys = this.#publicUrl === undefined ? undefined : await this.#keysOf(allowed);
    return calls.map((call) => {
      if (!including.includes(call)) return asStored;
      const workspaceId = uuidOf('workspace', call.caller.workspaceId);
      const key = mayUnsubscribe(call.caller) ? keys?.get(workspaceId) : undefined;
      return ({ id, json }) => {
        const url =
          key && `${this.#publicUrl}/unsubscribe/${unsubscribeToken(workspaceId, id, key)}`;
        return `${json.slice(0, -1)},"unsubscribeUrl":${JSON.stringify(url ?? null)}}`;
      };
    });
  }

  async #keysOf(calls: readonly IncludingCall[]): Promise<Map<string, Buffer>> {
    // In order, so that two batches that store keys lock them in the same order.
    const workspaceIds = [
      ...new Set(calls.map(({ caller }) => uuidOf('workspace', caller.workspaceId))),
    ].toSorted();
    const keys = await this.#stored(workspaceIds);
    const missing = workspaceIds.filter((id) => !keys.has(id));
    if (missing.length === 0) return keys;
    await this.#database.query(insertKeys, [missing, missing.map(() => randomBytes(keyBytes))]);
    // Another process may have stored one meanwhile.
    return this.#stored(workspaceIds);
  }

  async #stored(workspaceIds: readonly string[]): Promise<Map<string, Buffer>> {
    const rows = await this.#database.query<Key>(selectKeys, [workspaceIds]);
    return new Map(rows.map((row) => [row.workspace_id, row.key]));
  }
}

/**
 * An address allows to unsubscribe for as long as its contact exists: a browser token that can only read, or call other operations,
 * gets none.
 */
function mayUnsubscribe(caller: Caller): boolean {
  try {
    requirePermission(caller, operations['contacts.unsubscribe']);
    return true;
  } catch {
    return false;
  }
}

const asStored: WriteContact = ({ json }) => json;

const selectKeys: Statement = {
  name: 'unsubscribe-keys.select',
  text: `
    select workspace_id, key from contacts.unsubscribe_keys where workspace_id = any ($1::uuid[])`,
};

const insertKeys: Statement = {
  name: 'unsubscribe-keys.insert',
  text: `
    insert into contacts.unsubscribe_keys (workspace_id, key)
    select * from unnest($1::uuid[], $2::bytea[])
    on conflict (workspace_id) do nothing`,
};
