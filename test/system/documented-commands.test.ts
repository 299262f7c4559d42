import { execFile } from 'node:child_process';
import { access, glob, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { eventually, temporaryDirectory } from '@roster/testing';
import test from 'ava';
import { patience, startRoster } from './running-roster.js';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const run = promisify(execFile);

/** Those with requests, in the order in which a newcomer meets them. */
const pages = [
  'README.md',
  'gateway/README.md',
  'gateway/guides/retrying.md',
  'gateway/guides/unsubscribe.md',
  'gateway/guides/suppressions.md',
  'gateway/guides/actions.md',
  'gateway/guides/exports.md',
  'gateway/guides/imports.md',
  'gateway/guides/browser-tokens.md',
  'gateway/guides/sessions.md',
  'gateway/graphql/README.md',
  'pages/docs/guides/first-request.md',
  'pages/docs/guides/scopes.md',
  'gateway/guides/erasure.md',
];

/** The contents of contacts.csv in the commands. */
const uploadedFile = 'E-mail,City\nimported@example.com,Paris\n';

/** Options for every curl: the status is printed to standard error, and the headers are in a file. */
const curlrc = `silent\nshow-error\nwrite-out = "%{stderr}%{http_code}"\ndump-header = "headers"\n`;

const curlIn = (text: string): string[] => text.replaceAll('\\\n', ' ').match(/^curl .*$/gm) ?? [];

test('the requests of npm start, the README, both references and the guides run in a shell as they stand there, and none is refused', async (t) => {
  const curl = await run('curl', ['--version']).catch(() => undefined);
  if (curl === undefined) {
    t.log('curl is absent: the commands of the documentation were not run');
    t.pass();
    return;
  }
  const roster = await startRoster({ t, env: patience });
  t.teardown(() => roster.discard());
  await eventually(() => roster.output().includes('Ctrl-C stops it.'));
  const folder = await temporaryDirectory(t);
  await writeFile(join(folder, '.curlrc'), curlrc);
  /** Those of the shell: of the contact or import, the response before and the webhook. */
  const address = { ROSTER_URL: roster.baseUrl, ROSTER_KEY: roster.apiKey };
  const variables = { ...address, KEY: roster.apiKey, ID: '', ETAG: '', WEBHOOK: '' };
  const texts = [
    roster.output(),
    ...(await Promise.all(pages.map((page) => readFile(root + page, 'utf8')))),
  ];
  const counts = [];
  for (const [n, text] of texts.entries()) {
    const cwd = join(folder, String(n));
    await mkdir(cwd);
    if (/-[TF] (file=@)?contacts\.csv/.test(text))
      await writeFile(join(cwd, 'contacts.csv'), uploadedFile);
    const commands = curlIn(text);
    for (const command of commands) await send(command, cwd);
    counts.push(commands.length);
  }
  t.deepEqual(counts, [3, 5, 3, 2, 1, 3, 1, 2, 7, 1, 1, 1, 2, 1, 2]);

  async function send(command: string, cwd: string): Promise<void> {
    const { stdout, stderr } = await run(
      'sh',
      ['-c', command.replace('http://127.0.0.1:8080', roster.baseUrl)],
      { cwd, env: { ...process.env, ...variables, CURL_HOME: folder } },
    );
    const [status] = /\d{3}$/.exec(stderr) ?? [];
    t.true(['200', '201', '202'].includes(status!), `${command}: ${stdout}`);
    const [json = '{}'] = /^\{.*\}\s*$/ms.exec(stdout) ?? [];
    const body = JSON.parse(json) as Record<'contact' | 'import' | 'webhook', { id: string }>;
    t.false('errors' in body, `${command}: ${stdout}`);
    const headers = await readFile(join(cwd, 'headers'), 'utf8');
    variables.ID = (body.contact ?? body.import)?.id ?? variables.ID;
    variables.WEBHOOK = body.webhook?.id ?? variables.WEBHOOK;
    variables.ETAG = /^etag: (.*?)\r?$/im.exec(headers)?.[1] ?? variables.ETAG;
  }
});

/** Commands that are not run here, and why. */
const others: [beginning: RegExp, reason: string][] = [
  [/^curl /, 'run above'],
  [/^export \w+=/, 'sets a variable of the others'],
  [/^roster (listen|trigger|events|deliveries tail)\b/, 'run by listen/documented.test.ts'],
  [/^TOKEN=\S+ node receiver\.mjs &$/, 'run by readme.test.ts'],
  [/^node move\.mjs /, 'run by moving.test.ts'],
  [/^(\w+=\S+ )*npm start$/, 'run by the tests of the system'],
  [
    /^(npm run (test:|bench|check|audit|record|build:tests|image|release)|\.ci\/run)/,
    'takes minutes',
  ],
  [/^(RECORD_FORMER=1 )?npm test( -- [\w/.-]+)?$/, 'runs tests'],
  [/^npm install @roster\/client$/, 'run by the tests of libs/client'],
  [/^(npx )?roster /, 'run by the tests of test/command-line'],
  [/^(keys=\$\()?npm run --silent roster -- /, 'run by the tests of deploy/local'],
  [/^(cp -a|rm -rf?|find|touch|cat >>) "\$(ROSTER_HOME|BACKUP)\//, 'run by recovery.test.ts'],
  [/^OTEL_\w+=/, 'requires a collector of traces'],
  [
    /^(kubectl|helm|cosign|docker|podman|kind|sudo k3s|\$?nats|psql)[ =]/,
    'requires an installation',
  ],
  [/^(openssl|rm|sleep|urls|for|password|done)\b/, 'prepares secrets of an installation'],
];

test('every other command of the documentation is known not to be run, and has scripts, operations and files that exist', async (t) => {
  const { scripts } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as {
    scripts: object;
  };
  const cli = join(root, 'deploy/local/dist/roster.js');
  const { stdout: usage } = await run(process.execPath, [cli, '--help']);
  const exclude = ['**/node_modules/**', '**/dist/**', '.roster/**'];
  let found = 0;
  for await (const file of glob('**/*.md', { cwd: root, exclude })) {
    for (const command of commandsIn(await readFile(join(root, file), 'utf8'))) {
      found += 1;
      t.true(
        others.some(([beginning]) => beginning.test(command)),
        `${file}: ${command}`,
      );
      // Those with an ID that is left out, or with an admin key, need what a reader has.
      if (command.startsWith('curl ') && !/_…|\$ROSTER_ADMIN_KEY/.test(command))
        t.true(pages.includes(file), `${file}: ${command}`);
      const [, script] = /npm run (?:--silent )?([\w:]+)(?! -w)/.exec(command) ?? [];
      if (script !== undefined && !command.includes(' -w '))
        t.true(script in scripts, `${file}: ${command}`);
      const [, operation] = /roster -- ([a-z-]+( [a-z]+)?)/.exec(command) ?? [];
      if (operation !== undefined)
        t.regex(usage, new RegExp(`^  ${operation.split(' ')[0]} `, 'm'));
      for (const [path] of command.matchAll(
        /(?<=\s)(deploy\/kubernetes|gateway|libs|services|test)\/[\w./-]+/g,
      ))
        if (!path.includes('/dist/') && !command.includes('<yours>'))
          await t.notThrowsAsync(access(join(root, path)), `${file}: ${command}`);
    }
  }
  t.true(found > 100, `${found} commands`);
});

/** The commands of shell scripts in a text, without their comments and here-documents. */
function commandsIn(text: string): string[] {
  const scripts = [...text.matchAll(/^ *```(?:sh|bash|console|shell)\n(.*?)^ *```/gms)];
  return scripts.flatMap(([, script]) =>
    script!
      .replaceAll(/\\\n\s*/g, ' ')
      .replaceAll(/\|\n\s*/g, '| ')
      .replaceAll(/ <<(\w+)\n.*?^\1$/gms, '')
      .split('\n')
      .map((line) => line.replace(/(^|\s+)#.*$/, '').trim())
      .filter(Boolean),
  );
}
