import { contactCursor, Fault, type CallInputOf, type Operations } from '@roster/contracts';
import test from 'ava';
import { newWorkspace, contactsFor, type Workspace } from './running-contacts.js';

const running = contactsFor(test);

type PageInput = CallInputOf<Operations['contacts.page']>;

const page = (workspace: Workspace, requested: Partial<PageInput>) =>
  workspace.call('contacts.page', { limit: 2, fromEnd: false, counted: false, ...requested });

async function workspaceOf(count: number): Promise<{ workspace: Workspace; cursors: string[] }> {
  const workspace = newWorkspace(running().bus);
  const cursors: string[] = [];
  for (let index = 0; index < count; index += 1) {
    const { contact } = await workspace.call('contacts.create', { email: `c${index}@example.com` });
    cursors.push(contactCursor.of(contact.id));
  }
  return { workspace, cursors };
}

const shown = ({ contacts, hasNext, hasPrevious }: Awaited<ReturnType<typeof page>>) => ({
  names: contacts.map(({ email }) => email[1]).join(''),
  hasNext,
  hasPrevious,
});

test('pages from both ends and between cursors, and reports whether there are contacts before and after', async (t) => {
  const { workspace, cursors } = await workspaceOf(5);
  const [, second, third, fourth] = cursors;
  const expected: [Partial<PageInput>, ReturnType<typeof shown>][] = [
    [{}, { names: '01', hasNext: true, hasPrevious: false }],
    [{ after: second! }, { names: '23', hasNext: true, hasPrevious: true }],
    [{ after: third! }, { names: '34', hasNext: false, hasPrevious: true }],
    [{ fromEnd: true }, { names: '34', hasNext: false, hasPrevious: true }],
    [
      { fromEnd: true, before: fourth! },
      { names: '12', hasNext: true, hasPrevious: true },
    ],
    [
      { fromEnd: true, before: third! },
      { names: '01', hasNext: true, hasPrevious: false },
    ],
    [
      { after: second!, before: fourth! },
      { names: '2', hasNext: true, hasPrevious: true },
    ],
    [{ limit: 100 }, { names: '01234', hasNext: false, hasPrevious: false }],
    [
      { limit: 5, fromEnd: true },
      { names: '01234', hasNext: false, hasPrevious: false },
    ],
    [{ offset: 0 }, { names: '01', hasNext: true, hasPrevious: false }],
    [{ offset: 1 }, { names: '12', hasNext: true, hasPrevious: true }],
    [{ offset: 3 }, { names: '34', hasNext: false, hasPrevious: true }],
    [{ offset: 5 }, { names: '', hasNext: false, hasPrevious: true }],
    [{ offset: 9 }, { names: '', hasNext: false, hasPrevious: true }],
    [
      { fromEnd: true, offset: 1 },
      { names: '23', hasNext: true, hasPrevious: true },
    ],
    [
      { fromEnd: true, offset: 3 },
      { names: '01', hasNext: true, hasPrevious: false },
    ],
    [
      { fromEnd: true, offset: 9 },
      { names: '', hasNext: true, hasPrevious: false },
    ],
    [
      { after: second!, before: fourth!, offset: 1 },
      { names: '', hasNext: true, hasPrevious: true },
    ],
  ];
  // Concurrent calls share a batch, and each gets its own page.
  const pages = await Promise.all(expected.map(([requested]) => page(workspace, requested)));
  for (const [index, [requested, answer]] of expected.entries()) {
    t.deepEqual(shown(pages[index]!), answer, JSON.stringify(requested));
  }
});

test('counts only if requested, and reads no contacts with a limit of 0', async (t) => {
  const { workspace } = await workspaceOf(3);
  t.is((await page(workspace, {})).total, null);
  const counted = await page(workspace, { limit: 0, counted: true });
  t.like(counted, { contacts: [], total: 3 });
});

test('rejects an invalid cursor, naming the field, and answers the other calls of the batch', async (t) => {
  const { workspace } = await workspaceOf(1);
  const [fault, neighbour] = await Promise.all([
    workspace.attempt('contacts.page', {
      limit: 1,
      before: 'x',
      after: 'y',
      fromEnd: false,
      counted: false,
    }),
    page(workspace, {}),
  ]);
  t.true(fault instanceof Fault);
  t.deepEqual(
    (fault as Fault).details.errors?.map(({ pointer }) => pointer),
    ['/after', '/before'],
  );
  t.is(neighbour.contacts.length, 1);
});

test('returns nothing of another workspace', async (t) => {
  const { workspace, cursors } = await workspaceOf(2);
  const stranger = newWorkspace(running().bus);
  for (const requested of [
    {},
    { fromEnd: true },
    { after: cursors[0]! },
    { before: cursors[1]! },
  ]) {
    const answer = await page(stranger, { ...requested, counted: true });
    t.deepEqual(answer, { contacts: [], hasNext: false, hasPrevious: false, total: 0 });
  }
  t.is((await page(workspace, { counted: true })).total, 2);
});

test('returns a contact property with its description, only within its workspace', async (t) => {
  const workspace = newWorkspace(running().bus);
  const { property } = await workspace.call('contact-properties.create', {
    name: 'city',
    label: 'City',
    description: 'Where they live',
  });
  t.deepEqual(await workspace.call('contact-properties.get', { propertyId: property.id }), {
    property,
  });
  const stranger = newWorkspace(running().bus);
  const fault = await stranger.attempt('contact-properties.get', { propertyId: property.id });
  t.is((fault as Fault).code, 'not_found');
});
