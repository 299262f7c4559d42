import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Roster } from '@roster/client';
import test from 'ava';
import { createProgram } from 'roster';
import { sharedRoster } from '../system/running-roster.js';
import { newEnvironment, runScript } from './run-cli.js';

const root = fileURLToPath(new URL('../../../', import.meta.url));

/** Examples that other tests run. */
const elsewhere = /^roster (listen|trigger|events|deliveries tail)\b|import --from /;

/** Exit codes of examples that do not end with 0. */
const exitCodes: [beginning: RegExp, code: number][] = [[/contacts import contacts\.csv$/, 7]];

interface Command {
  name(): string;
  commands: readonly Command[];
  configureOutput(output: { writeOut(text: string): void }): unknown;
  outputHelp(): void;
}

/** A command with its path, and those below it that do something. */
function leavesOf(command: Command, path: string): [path: string, command: Command][] {
  if (command.commands.length === 0) return [[path, command]];
  return command.commands.flatMap((one) => leavesOf(one, `${path} ${one.name()}`));
}

function helpOf(command: Command): string {
  let help = '';
  command.configureOutput({ writeOut: (text) => (help += text) });
  command.outputHelp();
  return help;
}

const examplesIn = (help: string): string[] =>
  [...help.matchAll(/^ {2}\$ (.*)$/gm)].map(([, example]) => example!);

/** The commands of shell scripts in a text. */
const commandsIn = (text: string): string[] =>
  [...text.matchAll(/^```sh\n(.*?)^```/gms)].flatMap(([, script]) => script!.trim().split('\n'));

test('every command has an example in its help, and each example and command of the README runs', async (t) => {
  const shared = await sharedRoster(t);
  const roster = new Roster(shared);
  const { folder, env } = await newEnvironment(t, shared);
  const receiver = createServer((_, response) => response.end()).listen(0, '127.0.0.1');
  t.teardown(() => receiver.close());
  await once(receiver, 'listening');
  const target = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;

  const program = await createProgram(['completion'], () => async () => {});
  const helps = leavesOf(program as Command, 'roster')
    .filter(([path]) => !/^roster (completion|complete)$/.test(path))
    .map(([path, command]) => [path, examplesIn(helpOf(command))] as const);
  for (const [path, examples] of helps)
    t.true(
      examples.length > 0 && examples.every((one) => one.startsWith(`${path} `) || one === path),
      `the help of ${path} has an example of it`,
    );
  const readme = commandsIn(await readFile(join(root, 'libs/cli/README.md'), 'utf8'));
  t.true(readme.length > 20);

  await writeFile(join(folder, 'key.txt'), `${shared.apiKey}\n`);
  await writeFile(join(folder, 'bounces.txt'), 'grace@example.com\n');
  await writeFile(join(folder, 'people.csv'), 'E-mail,City\ngrace@example.com,Arlington\n');
  const ids: Record<string, () => Promise<string | null>> = {
    wh: async () => (await roster.webhooks.create({ url: target, events: ['CONTACT_CREATED'] })).id,
    dlv: async () =>
      (await roster.webhooks.test((await ids['wh']!())!, { kind: 'CONTACT_CREATED' })).id,
    rpl: async () => {
      const since = new Date(Date.now() - 60_000).toISOString();
      return (await roster.replays.create((await ids['wh']!())!, { since })).id;
    },
    act: async () =>
      (await roster.contactActions.create({ filter: { tag: ['no'] }, change: { delete: true } }))
        .id,
    imp: async () => (await roster.imports.create('email\na@\n', {})).id,
    prop: async () => {
      const name = `p${process.hrtime.bigint()}`;
      return (await roster.contactProperties.create({ name, label: name })).id;
    },
    usr: async () =>
      (await roster.users.create({ email: `${process.hrtime.bigint()}@example.com`, name: 'A' }))
        .id,
    key: async () => (await roster.apiKeys.create({ name: 'a', scopes: ['user'] })).apiKey.id,
  };
  for (const example of [...readme, ...helps.flatMap(([, examples]) => examples)]) {
    if (elsewhere.test(example)) continue;
    await prepare(example);
    let command = example
      .replace('https://roster.example.com', shared.baseUrl)
      .replace('https://example.com/hook', target);
    for (const [placeholder, prefix = ''] of command.matchAll(/\b(\w+)_…/g))
      command = command.replace(placeholder, (await ids[prefix]!())!);
    const { code, stdout, stderr } = await runScript(command, folder, env);
    const [, expected = 0] = exitCodes.find(([beginning]) => beginning.test(example)) ?? [];
    t.is(code, expected, `${example}\n${stdout}${stderr}`);
  }

  /** What an example names exists, and what it creates does not. */
  async function prepare(example: string): Promise<void> {
    await writeFile(join(folder, 'contacts.csv'), 'email,name\nada@example.com,Ada\nnobody,N\n');
    if (example.includes('ada@example.com')) {
      const { contact } = await roster.contacts.upsert({ email: 'ada@example.com', tags: ['vip'] });
      if (example.includes('contacts create')) await roster.contacts.delete(contact.id);
    }
    if (example.includes('externalId:crm-1234'))
      await roster.contacts.upsert({ email: 'ada@example.com', externalId: 'crm-1234' });
    if (/tags (rename|delete)/.test(example))
      await roster.contacts.upsert({ email: 'a@example.com', addTags: ['early', 'early-access'] });
    if (example.includes('properties create'))
      for await (const { id, name } of roster.contactProperties.list())
        if (name === 'city' || name === 'age') await roster.contactProperties.delete(id);
    const login = `roster login --profile staging --url ${shared.baseUrl} < key.txt`;
    if (/--profile staging|use staging/.test(example)) await runScript(login, folder, env);
  }
});
