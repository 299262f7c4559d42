import { type CallInputOf, type Operations } from '@roster/contracts';
import test from 'ava';
import { contactsFor, create, kindsOf, newWorkspace, type Workspace } from './running-contacts.js';

const running = contactsFor(test);

type Operation = CallInputOf<Operations['contacts.batch']>['operations'][number];

const batch = async (workspace: Workspace, operations: Operation[]) =>
  (await workspace.call('contacts.batch', { operations })).results;

const manyOf = (count: number, prefix = 'n') =>
  Array.from({ length: count }, (_, n) => `${prefix}${n}@example.com`);

test('random batches are answered as the same operations one after another', async (t) => {
  const random = randomOf(Date.now());
  const pick = <T>(some: readonly T[]): T => some[random(some.length)]!;
  for (let run = 0; run < 12; run += 1) {
    const [together, apart] = [newWorkspace(running().bus), newWorkspace(running().bus)];
    const beginnings = manyOf(3, 'x');
    const idsOf = async (workspace: Workspace) => {
      const ids: string[] = [];
      for (const email of beginnings) ids.push((await create(workspace, email)).contact.id);
      return ids;
    };
    const [ids, idsApart] = [await idsOf(together), await idsOf(apart)];
    const email = () => pick([...beginnings, ...manyOf(2, 'X'), 'y@example.com']);
    const change = () =>
      pick([
        { name: pick(['p', 'q']) },
        { tags: [pick(['s', 't'])] },
        { addTags: [pick(['s', 't'])], removeTags: [pick(['t', 'u'])] },
        { properties: { k: 'v' } },
      ]);
    const operations = Array.from({ length: 8 }, (): [Operation, Operation] => {
      const action = pick(['create', 'upsert', 'update', 'delete'] as const);
      const at = random(ids.length);
      const address = { email: email() };
      const fields =
        action === 'delete'
          ? {}
          : { ...change(), ...(action !== 'update' || random(2) ? address : {}) };
      const named = (own: string[]) =>
        action === 'update' || action === 'delete' ? { id: own[at]! } : {};
      return [
        { action, ...fields, ...named(ids) },
        { action, ...fields, ...named(idsApart) },
      ];
    });
    const results = await batch(
      together,
      operations.map(([first]) => first),
    );
    const singly: typeof results = [];
    for (const [, second] of operations) singly.push(...(await batch(apart, [second])));
    const [shown, expected] = [shownOf(results), shownOf(singly)];
    t.deepEqual(shown, expected, JSON.stringify(operations.map(([first]) => first)));
    const listOf = async (workspace: Workspace) =>
      shownOf((await workspace.call('contacts.list', {})).contacts).toSorted();
    t.deepEqual(await listOf(together), await listOf(apart));
    const counts = await Promise.all([together, apart].map((one) => kindsOf(running(), one)));
    t.deepEqual(counts[0]!.toSorted(), counts[1]!.toSorted());
  }
});

/** Without what differs between two workspaces. */
const shownOf = (results: readonly unknown[]) =>
  results.map((result) =>
    JSON.stringify(result)
      .replaceAll(/cont_\w+/g, '')
      .replaceAll(/"(?:created|updated)At":"[^"]*"/g, '')
      .replaceAll(/\/operations\/\d+/g, ''),
  );

/** Integers from 0 to below a maximum. */
function randomOf(seed: number): (max: number) => number {
  let state = seed >>> 0;
  return (max) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * max);
  };
}
