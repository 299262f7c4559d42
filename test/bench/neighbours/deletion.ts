import { hash } from 'node:crypto';
import { checksumOf } from '@roster/contracts';
import { eventually } from '@roster/testing';
import type { Misbehaviour } from '../../faults/neighbours/misbehaviour.js';

const random = 'b'.repeat(30);
const adminKey = `rak_${random}${checksumOf(random)}`;

/** With them, the system is administered by the deletions below. */
export const deletionEnv = {
  ADMIN_KEY_HASHES: hash('sha256', adminKey),
  WORKSPACE_DELETION_SECONDS: '1',
};

const patient = { timeoutMs: 30 * 60_000 };

/** The deletion of a workspace with many contacts: `ROSTER_DELETED=1000000` before the command deletes a million. */
export function deletion(contacts = Number(process.env['ROSTER_DELETED'] ?? 50_000)): Misbehaviour {
  return {
    name: `the deletion of a workspace with ${contacts.toLocaleString('en')} contacts`,
    async begin({ baseUrl }) {
      const send = async (
        key: string,
        method: string,
        path: string,
        body?: string,
        type = 'application/json',
      ) => {
        const response = await fetch(baseUrl + path, {
          method,
          headers: { authorization: `Bearer ${key}`, ...(body && { 'content-type': type }) },
          body: body ?? null,
        });
        return { status: response.status, body: (await response.json()) as Answer };
      };
      const owner = { name: 'Deleted', ownerEmail: 'owner@example.com', ownerName: 'Owner' };
      const path = '/v1/admin/workspaces';
      const made = await send(adminKey, 'POST', path, JSON.stringify(owner));
      const { secret } = made.body.apiKey;
      const rows = Array.from({ length: contacts }, (_, n) => `c${n}@example.com,Name ${n},a;b`);
      const file = ['email,name,tags', ...rows].join('\n');
      const { body } = await send(secret, 'POST', '/v1/imports', file, 'text/csv');
      const ended = async () =>
        (await send(secret, 'GET', `/v1/imports/${body.import.id}`)).body.import.endedAt !== null;
      await eventually(ended, patient);
      const one = `${path}/${made.body.workspace.id}`;
      await send(adminKey, 'DELETE', one);
      const startedAt = performance.now();
      return async () => {
        await eventually(async () => (await send(adminKey, 'GET', one)).status === 404, patient);
        const seconds = (performance.now() - startedAt) / 1000;
        console.log(`  deleted in ${seconds.toFixed(1)} s`);
      };
    },
  };
}

interface Answer {
  workspace: { id: string };
  apiKey: { secret: string };
  import: { id: string; endedAt: string | null };
}
