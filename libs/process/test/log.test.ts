import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import test from 'ava';

const log = new URL('../log.js', import.meta.url).href;

/**
 * Output of a process that logs the fields `apiKey`, `authorization`, `body` and `token` at the top level and one level
 * below.
 */
async function written(): Promise<string> {
  const script = `
    import { flatLog, openLog } from ${JSON.stringify(log)};
    const secrets = (where) => Object.fromEntries(
      ['apiKey', 'authorization', 'body', 'token'].map((field) => [field, where + ' hunter2 ' + field]),
    );
    const opened = openLog('test', 'info');
    opened.info({ ...secrets('top'), request: secrets('nested'), requestId: 'r1' }, 'nested secrets');
    flatLog(opened)({ ...secrets('flat'), requestId: 'r2', msg: 'flat secrets' });`;
  const { stdout } = await promisify(execFile)(process.execPath, [
    '--input-type=module',
    '--eval',
    script,
  ]);
  return stdout;
}

test('keys, tokens, authorizations and bodies that are logged by mistake are censored', async (t) => {
  const text = await written();
  t.notRegex(text, /hunter2/);
  const [first, flat] = text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  t.like(first, { msg: 'nested secrets', requestId: 'r1', apiKey: '[Redacted]' });
  t.like(flat, { msg: 'flat secrets', requestId: 'r2', token: '[Redacted]' });
  t.deepEqual(Object.keys(flat!).slice(0, 5), Object.keys(first!).slice(0, 5));
});
