import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import test from 'ava';

const log = new URL('../log.js', import.meta.url).href;

/** What a process writes that logs the fields `apiKey`, `authorization`, `body` and `token`, at the top and one level below. */
async function written(): Promise<string> {
  const script = `
    import { flatLog, openLog } from ${JSON.stringify(log)};
    const secrets = (where) => Object.fromEntries(
      ['apiKey', 'authorization', 'body', 'token'].map((field) => [field, where + ' hunter2 ' + field]),
    );
    const opened = openLog('test', 'info');
    opened.info({ ...secrets('top'), request: secrets('nested'), requestId: 'r1' }, 'said');
    flatLog(opened).info({ ...secrets('flat'), requestId: 'r2' }, 'said flat');`;
  const { stdout } = await promisify(execFile)(process.execPath, [
    '--input-type=module',
    '--eval',
    script,
  ]);
  return stdout;
}

test('no line has a key, a token, an authorization or a body, though somebody logs it', async (t) => {
  const text = await written();
  t.notRegex(text, /hunter2/);
  const [first, flat] = text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  t.like(first, { msg: 'said', requestId: 'r1', apiKey: '[Redacted]' });
  t.like(flat, { msg: 'said flat', requestId: 'r2', token: '[Redacted]' });
});
