import test from 'ava';
import { contactsFor, create, newWorkspace } from '../running-contacts.js';
import { beforeEach, ended, startRunner, upload } from './running-imports.js';

/** A runner applies the imports of all workspaces: the tests follow one another. */
const running = contactsFor(test);

for (const [mode, counts, name] of [
  ['upsert', { created: 1, updated: 1, skipped: 0 }, 'Imported'],
  ['skip', { created: 1, updated: 0, skipped: 1 }, ''],
] as const)
  test.serial(
    `a row whose address a contact is given during its slice concerns that contact (${mode})`,
    async (t) => {
      const workspace = newWorkspace(running().bus);
      const { contact: renamed } = await create(workspace, 'old@example.com');
      const id = await upload(
        workspace,
        ['new@example.com', 'other@example.com'].map((email) => ({ email, name: 'Imported' })),
        { mode },
      );
      const { service } = running();
      let isRenamed = false;
      const database = beforeEach(service.database, 'contacts.create-in-turn', async () => {
        if (isRenamed) return;
        isRenamed = true;
        await workspace.call('contacts.update', {
          contactId: renamed.id,
          email: 'new@example.com',
        });
      });
      startRunner(t, { ...service, database });
      t.like(await ended(workspace, id), { failed: 0, ...counts });
      t.true(isRenamed);
      const { contacts } = await workspace.call('contacts.list', {});
      t.deepEqual(
        contacts.map((contact) => [contact.email, contact.name]),
        [
          ['new@example.com', name],
          ['other@example.com', 'Imported'],
        ],
      );
    },
  );
