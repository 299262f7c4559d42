import type { Json } from '@roster/bus';
import { operations, type Operations, type OutputOf } from '@roster/contracts';
import { callAs } from '@roster/testing';
import test from 'ava';
import { findContacts } from '../find/find-contacts.js';
import { searchLimits } from '../find/search.js';
import { contactsFor, create, newWorkspace } from './running-contacts.js';

const running = contactsFor(test);

test('the estimate of a page far behind the first contacts is not greater than the workspace', async (t) => {
  const workspace = newWorkspace(running().bus);
  const tag = ['vip'];
  const emails = Array.from({ length: 12 }, (_, n) => `contact${n}@example.com`);
  await Promise.all(emails.map((email) => create(workspace, email, { tags: tag })));
  const limits = { ...searchLimits, counted: 5, firstRows: 2, rows: 4 };
  for (const offset of [0, 1, 6]) {
    const [answer] = await findContacts(
      running(),
      limits,
    )([
      {
        ...callAs({ workspaceId: workspace.id }),
        input: operations['contacts.find'].input.parse({ tag, limit: 3, offset }),
      },
    ]);
    const page = JSON.parse((answer as Json).text) as OutputOf<Operations['contacts.find']>;
    t.like(page.pagination, { total: 12, totalIsEstimate: true }, `offset ${offset}`);
  }
});
