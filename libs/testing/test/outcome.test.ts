import { execFile } from 'node:child_process';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

import test, { type ExecutionContext } from 'ava';

import { describeOutcome, outcomeOf, type Outcome } from '../runner/outcome.js';
import { temporaryDirectory } from '../temporary-directory.js';

test('counts the tests that passed, failed and were skipped', async (t) => {
  t.deepEqual(
    await outcomeOfRun(t, {
      one: `test('passes', (t) => t.pass());
            test('✔ fails', (t) => t.is(1, 2));
            test.skip('is skipped', (t) => t.pass());
            test.todo('is to be written');`,
      two: `test('passes too', (t) => t.pass());
            test('1 test failed', (t) => t.pass());`,
    }),
    { passed: 3, failed: 1, skipped: 2 },
  );
});

test('unfinished tests, failed hooks, uncaught exceptions and unhandled rejections count as failed', async (t) => {
  const ends = {
    exits: [`test('exits', () => process.exit(0));`, 1],
    hook: [`test.before(() => { throw new Error() }); test('never runs', (t) => t.pass());`, 2],
    throws: [
      `test('throws', (t) => (setImmediate(() => { throw new Error() }), new Promise(() => {})));`,
      2,
    ],
    rejects: [`test('passes', (t) => (void Promise.reject(new Error()), t.pass()));`, 1],
    pending: [`test('never ends', () => new Promise(() => {}));`, 1],
  } as const;
  for (const [name, [text, failed]] of Object.entries(ends))
    t.is((await outcomeOfRun(t, { [name]: text })).failed, failed, name);
});

test('a run without a test is a failure', async (t) => {
  t.deepEqual(await outcomeOfRun(t, {}), { passed: 0, failed: 1, skipped: 0 });
  t.deepEqual(outcomeOf(undefined, 1), { passed: 0, failed: 1, skipped: 0 });
});

test('mentions skipped tests only if there are any', (t) => {
  t.is(describeOutcome({ passed: 3, failed: 0, skipped: 0 }), '3 passed, 0 failed');
  t.is(describeOutcome({ passed: 3, failed: 1, skipped: 2 }), '3 passed, 1 failed, 2 skipped');
});

test('the files of a group run in one process, each with its hooks, and count as others do', async (t) => {
  const file = `
    test.before(() => { globalThis.running = test.meta.file; });
    test('has a title that others have, too', (t) => t.is(globalThis.running, test.meta.file));
    test.after(() => { globalThis.ended = (globalThis.ended ?? 0) + 1; });`;
  const outcome = await outcomeOfRun(
    t,
    {
      one: file,
      two: `${file} test('fails', (t) => t.fail()); test.skip('is skipped', (t) => t.pass());`,
      // The hook of the second does not run, because a test of it failed.
      three: `${file} test('is the third', (t) => t.is(globalThis.ended, 1));`,
    },
    { inOneGroup: true },
  );
  t.deepEqual(outcome, { passed: 4, failed: 1, skipped: 1 });
});

test('a group that ends before its last file fails', async (t) => {
  const passes = `test('passes', (t) => t.pass());`;
  const ends = {
    exits: `test('exits', () => process.exit(0));`,
    throws: `throw new Error();`,
    empty: ``,
    never: `await new Promise(() => {});`,
  };
  for (const [name, text] of Object.entries(ends)) {
    const outcome = await outcomeOfRun(t, { a: passes, b: text, c: passes }, { inOneGroup: true });
    t.is(outcome.passed, 1, name);
    t.true(outcome.failed > 0, name);
  }
});

/** Runs test files, given by name, as `npm test` does. */
async function outcomeOfRun(
  t: ExecutionContext,
  files: Record<string, string>,
  { inOneGroup = false } = {},
): Promise<Outcome> {
  const root = await temporaryDirectory(t);
  await mkdir(join(root, 'dist/test'), { recursive: true });
  await mkdir(join(root, 'node_modules'));
  const ava = dirname(dirname(createRequire(import.meta.url).resolve('ava')));
  await symlink(ava, join(root, 'node_modules/ava'));
  await writeFile(join(root, 'package.json'), '{"type":"module"}');
  for (const [name, text] of Object.entries(files))
    await writeFile(join(root, `dist/test/${name}.test.js`), `import test from 'ava';\n${text}`);
  const paths = Object.keys(files).map((name) => `dist/test/${name}.test.js`);
  const groups = inOneGroup ? [paths] : paths.map((path) => [path]);
  // In a separate process: AVA's report is written to the output of its process.
  const script = `
    import { runAva } from ${JSON.stringify(new URL('../runner/run-ava.js', import.meta.url))};
    import { outcomeOf } from ${JSON.stringify(new URL('../runner/outcome.js', import.meta.url))};
    import { offerTurns } from ${JSON.stringify(new URL('../runner/turns.js', import.meta.url))};
    const turns = await offerTurns(1);
    const run = ${JSON.stringify({ root, groups, args: [] })};
    const { code, totals } = await runAva({ ...run, turns: turns.socket, env: process.env });
    await turns.end();
    console.log('\\n' + JSON.stringify(outcomeOf(totals, code)));`;
  const output = await new Promise<string>((resolve) => {
    execFile(process.execPath, ['--input-type=module', '--eval', script], (_, stdout) =>
      resolve(stdout),
    );
  });
  return JSON.parse(output.trim().split('\n').at(-1)!) as Outcome;
}
