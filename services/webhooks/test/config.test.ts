import { randomBytes } from 'node:crypto';
import { readConfig } from '@roster/process';
import test from 'ava';
import { webhooksConfig } from '../config.js';

const key = () => randomBytes(32).toString('base64');

test('reads one key or several, in order', (t) => {
  const [first, second] = [key(), key()];
  const { TOKEN_KEYS } = read(`new:${first}, old:${second}`);
  t.deepEqual(
    TOKEN_KEYS.map(({ id, key }) => [id, key.export().toString('base64')]),
    [
      ['new', first],
      ['old', second],
    ],
  );
});

test('rejects invalid keys, naming their position and never their value', (t) => {
  const short = randomBytes(31).toString('base64');
  for (const wrong of [short, `a:${short}`, `a:${'!'.repeat(44)}`, `b c:${key()}`, 'a:', ':', '']) {
    const error = t.throws(() => read(`good:${key()},${wrong}`));
    t.regex(error.message, /TOKEN_KEYS: entry 2 must be an id, a colon and the base64 of 32 bytes/);
    if (wrong.length > 2) t.false(error.message.includes(wrong));
  }
});

test('rejects duplicate key ids and an empty list', (t) => {
  t.throws(() => read(`a:${key()},a:${key()}`), {
    message: /TOKEN_KEYS: contains duplicate key ids/,
  });
  t.throws(() => read(undefined), { message: /TOKEN_KEYS/ });
  t.throws(() => read(''), { message: /TOKEN_KEYS is missing: set it to id:base64 of 32 bytes/ });
});

test('does not show a key when the configuration is printed', (t) => {
  const secret = key();
  const config = read(`a:${secret}`);
  t.false(JSON.stringify(config).includes(secret));
});

test('allows http and addresses that are not public only if configured', (t) => {
  t.deepEqual(read(`a:${key()}`).ALLOW_TARGETS, []);
  t.false(read(`a:${key()}`).ALLOW_HTTP);
  t.true(read(`a:${key()}`, { ALLOW_HTTP: 'true' }).ALLOW_HTTP);
});

test('disables a webhook after five days of failures by default, or after the configured days', (t) => {
  t.is(read(`a:${key()}`).FAILING_DAYS_MAX, 5);
  t.is(read(`a:${key()}`, { FAILING_DAYS_MAX: '0.001' }).FAILING_DAYS_MAX, 0.001);
  t.throws(() => read(`a:${key()}`, { FAILING_DAYS_MAX: '0' }), { message: /FAILING_DAYS_MAX/ });
});

function read(tokenKeys: string | undefined, more: Record<string, string> = {}) {
  const env = {
    NATS_URL: 'nats://localhost',
    DATABASE_URL: 'postgres://localhost/roster',
    ...more,
  };
  return readConfig(
    webhooksConfig,
    tokenKeys === undefined ? env : { ...env, TOKEN_KEYS: tokenKeys },
  );
}
