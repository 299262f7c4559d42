import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { Roster } from '@roster/client';
import test from 'ava';
import { sharedRoster, type SharedRoster } from '../system/running-roster.js';
import { newEnvironment, runCli, runInTerminal } from './run-cli.js';

// Written as codes: a terminal obeys the characters.
const escape = String.fromCodePoint(0x1b);
const isTerminalAvailable = await promisify(execFile)('script', ['--version']).then(
  () => true,
  () => false,
);
/** A test in a pseudo-terminal. */
const testInTerminal = isTerminalAvailable ? test : test.skip;

let shared: SharedRoster;
test.before(async (t) => {
  shared = await sharedRoster(t);
});

/** A workspace of its own. */
async function workspace(name: string) {
  const { apiKey } = await shared.newWorkspace(name);
  return { apiKey, baseUrl: shared.baseUrl };
}

testInTerminal(
  'a table is as wide as the terminal, escapes what a terminal would obey, and has colours only if wanted',
  async (t) => {
    const own = await workspace('Tables');
    const { folder, env } = await newEnvironment(t, own);
    const name = 'Ada Lovelace '.repeat(12);
    await new Roster(own).contacts.create({ email: 'ada@example.com', name, tags: [`a‮b`] });
    for (const columns of [60, 80, 200]) {
      const { code, printed } = await runInTerminal('contacts list', folder, env, { columns });
      t.is(code, 0, printed);
      const lines = printed
        .replaceAll(`${escape}[1m`, '')
        .replaceAll(`${escape}[22m`, '')
        .trimEnd()
        .split('\n');
      t.is(lines.length, 2, printed);
      t.true(
        lines.every((line) => line.length <= columns),
        printed,
      );
      t.regex(lines[1]!, /^cont_\S+ {2}ada/);
      t.notRegex(lines[1]!, /\p{C}/u);
    }
    const coloured = await runInTerminal('contacts list', folder, env);
    t.true(coloured.printed.includes(`${escape}[1mID`));
    for (const [options, more] of [
      ['--no-color', {}],
      ['', { NO_COLOR: '1' }],
    ] as const) {
      const plain = await runInTerminal(`contacts list ${options}`, folder, { ...env, ...more });
      t.false(plain.printed.includes(escape), plain.printed);
    }
    const json = await runInTerminal('contacts list --json', folder, env);
    t.is((JSON.parse(json.printed) as { name: string }).name, name);
  },
);

test('in a pipe, a list is JSON lines without colours, whatever FORCE_COLOR says', async (t) => {
  const own = await workspace('Pipes');
  const { env } = await newEnvironment(t, own);
  await new Roster(own).contacts.create({ email: 'ada@example.com' });
  const { code, stdout, stderr } = await runCli(['contacts', 'list'], { ...env, FORCE_COLOR: '1' });
  t.deepEqual({ code, stderr }, { code: 0, stderr: '' });
  t.is((JSON.parse(stdout) as { email: string }).email, 'ada@example.com');
});

testInTerminal(
  'a deletion asks on a terminal: no and Ctrl-C delete nothing and exit with 130, yes deletes',
  async (t) => {
    const own = await workspace('Questions');
    const { folder, env } = await newEnvironment(t, own);
    const roster = new Roster(own);
    const { id } = await roster.contacts.create({ email: 'ada@example.com' });
    const deletion = (typed: string) => {
      let isAnswered = false;
      return runInTerminal('contacts delete ada@example.com', folder, env, {
        answer(printed) {
          if (isAnswered || !/Delete the contact/.test(printed)) return undefined;
          isAnswered = true;
          return typed;
        },
      });
    };
    for (const typed of ['n', '\x03']) {
      const { code, printed } = await deletion(typed);
      t.is(code, 130, printed);
      t.is((await roster.contacts.get(id)).id, id);
    }
    const { code, printed } = await deletion('y');
    t.is(code, 0, printed);
    t.true(printed.includes(`Deleted ${id}.`));
    await t.throwsAsync(async () => roster.contacts.get(id), { message: /not_found/ });
  },
);

testInTerminal(
  'a login asks for the address and the key on a terminal, and never shows the key',
  async (t) => {
    const own = await workspace('Login');
    const { folder, env } = await newEnvironment(t, own);
    const { ROSTER_URL: _, ROSTER_API_KEY: __, ...bare } = env;
    let answered = 0;
    const { code, printed } = await runInTerminal('login', folder, bare, {
      answer(text) {
        if (answered === 0 && text.includes('Address of Roster')) {
          answered = 1;
          return `${own.baseUrl}\r`;
        }
        if (answered === 1 && text.includes('API key')) {
          answered = 2;
          return `${own.apiKey}\r`;
        }
        return undefined;
      },
    });
    t.is(code, 0, printed);
    t.false(printed.includes(own.apiKey));
    const { stdout } = await runCli(['whoami'], bare);
    t.is((JSON.parse(stdout) as { url: string }).url, own.baseUrl);
  },
);
