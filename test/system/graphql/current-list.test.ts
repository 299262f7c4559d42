import { eventually, TcpProxy } from '@roster/testing';
import test from 'ava';
import { EventSource } from 'eventsource';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { sharedRoster, type SharedRoster } from '../running-roster.js';
import { newFrontend, range, soon } from './frontend.js';

interface List {
  nodes: { id: string; email: string; name: string }[];
  totalCount: number;
  hasMore: boolean;
}

interface Guide {
  followList(
    url: string,
    options: {
      authorization(): Promise<string>;
      request(query: string, variables: object): Promise<unknown>;
      onChange(list: List): void;
      onError(error: unknown): void;
    },
  ): { more(): Promise<void>; stop(): void };
}

let roster: SharedRoster;
let guide: Guide;
test.before(async (t) => {
  roster = await sharedRoster(t);
  const file = fileURLToPath(new URL('../../../../gateway/graphql/README.md', import.meta.url));
  const text = await readFile(file, 'utf8');
  const code = ['followEventSource', 'keepList', 'followList'].map(
    (name) => new RegExp(`\`\`\`js\n(function ${name}[\\s\\S]+?)\`\`\``).exec(text)![1]!,
  );
  const module = `export default (EventSource) => {\n${code.join('\n')}\nreturn { followList };\n}`;
  const { default: open } = (await import(
    `data:text/javascript,${encodeURIComponent(module)}`
  )) as { default(client: unknown): Guide };
  guide = open(EventSource);
});

test('the list of the guide stays current: contacts that begin or cease to match, deletions, pages, and a lost connection', async (t) => {
  t.timeout(120_000);
  const { apiKey, query } = await newFrontend(roster, 'Current list');
  const { hostname, port } = new URL(roster.baseUrl);
  const proxy = await TcpProxy.start({ host: hostname, port: Number(port) });
  t.teardown(() => proxy.stop());
  const create = async (email: string, tags: string[]) => {
    const document = `mutation ($input: CreateContactInput!) { createContact(input: $input) { contact { id } } }`;
    const input = { email, tags };
    const data = await query<{ createContact: { contact: { id: string } } }>(document, { input });
    return data.createContact.contact.id;
  };
  const update = (id: string, input: object) =>
    query(
      'mutation ($input: UpdateContactInput!) { updateContact(input: $input) { contact { id } } }',
      {
        input: { id, ...input },
      },
    );
  const remove = (id: string) =>
    query('mutation ($input: DeleteContactInput!) { deleteContact(input: $input) { deletedId } }', {
      input: { id },
    });
  const emailOf = (n: number) => `c${String(n).padStart(2, '0')}@example.com`;
  for (const n of range(22)) await create(emailOf(2 * n), ['vip']);
  const outside = await create(emailOf(1), ['other']);

  let list: List | undefined;
  let reads = 0;
  const errors: unknown[] = [];
  const following = guide.followList(`http://127.0.0.1:${proxy.port}/graphql`, {
    authorization: async () => `Bearer ${apiKey}`,
    request: query,
    onChange(read) {
      list = read;
      reads += 1;
    },
    onError: (error) => errors.push(error),
  });
  t.teardown(() => following.stop());
  const shows = async (numbers: number[], totalCount: number) => {
    const emails = numbers.map(emailOf);
    await eventually(
      () =>
        list?.nodes.map(({ email }) => email).join() === emails.join() &&
        list.totalCount === totalCount,
      soon,
    );
  };
  const even = range(22).map((n) => 2 * n);
  await shows(even.slice(0, 20), 22);
  t.true(list!.hasMore);

  // It begins to match, among the others by its order.
  await update(outside, { tags: ['vip'] });
  await shows([0, 1, ...even.slice(1, 19)], 23);
  await following.more();
  await shows([0, 1, ...even.slice(1)], 23);
  t.false(list!.hasMore);
  // Its order changes, then it ceases to match.
  await update(outside, { email: emailOf(99) });
  await shows([...even, 99], 23);
  await update(outside, { tags: [] });
  await shows(even, 22);
  await update(list!.nodes[0]!.id, { name: 'Ada' });
  await eventually(() => list!.nodes[0]!.name === 'Ada', soon);
  await remove(list!.nodes[0]!.id);
  await shows(even.slice(1), 21);

  await proxy.setMode('refuse');
  await remove(list!.nodes[0]!.id);
  await create(emailOf(3), ['vip']);
  await proxy.setMode('forward');
  await shows([3, ...even.slice(2)], 21);

  const before = reads;
  const input = range(40).map(
    (n) => `c${n}: createContact(input: {email: "n${n}@example.com"}) { contact { id } }`,
  );
  await query(`mutation { ${input.join('\n')} }`);
  await create(emailOf(0), ['vip']);
  await shows([0, 3, ...even.slice(2)], 22);
  t.true(reads - before < 10, `${reads - before} reads after 41 events`);
  t.deepEqual(errors, []);
});
