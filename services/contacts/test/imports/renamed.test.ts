import type { Statement } from '@roster/storage';
import { eventually } from '@roster/testing';
import test from 'ava';
import { codeOf, contactsFor, create, newWorkspace } from '../running-contacts.js';
import { beforeEach, ended, startRunner, upload } from './running-imports.js';

/** A runner applies the imports of all workspaces: the tests follow one another. */
const running = contactsFor(test);

for (const mode of ['upsert', 'skip'] as const)
  test.serial(
    `a contact is given an address of a slice before it or after it, and not meanwhile (${mode})`,
    async (t) => {
      const workspace = newWorkspace(running().bus);
      const { contact: renamed } = await create(workspace, 'old@example.com');
      const id = await upload(
        workspace,
        ['new@example.com', 'other@example.com'].map((email) => ({ email, name: 'Imported' })),
        { mode },
      );
      const { service } = running();
      let rename: Promise<unknown> | undefined;
      const database = beforeEach(service.database, 'contacts.create-in-turn', async () => {
        if (rename) return;
        rename = workspace.attempt('contacts.update', {
          contactId: renamed.id,
          email: 'new@example.com',
        });
        await eventually(async () => (await service.database.query(waiting, [])).length > 0, {
          describe: 'the update waits for the slice',
        });
      });
      startRunner(t, { ...service, database });
      t.like(await ended(workspace, id), { failed: 0, created: 2, updated: 0, skipped: 0 });
      t.is(codeOf(await rename), 'conflict');
      const { contacts } = await workspace.call('contacts.list', {});
      t.deepEqual(
        contacts.map(({ email, name }) => [email, name]),
        [
          ['old@example.com', ''],
          ['new@example.com', 'Imported'],
          ['other@example.com', 'Imported'],
        ],
      );
    },
  );

const waiting: Statement = {
  name: 'test.waiting',
  text: `
    select 1 from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock' and query like '%turns as (%'`,
};
