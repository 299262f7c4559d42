import test from 'ava';
import { z } from 'zod';
import { flag, processConfig, readConfig, ruleOf } from '../index.js';

const number = z.coerce.number();
for (const [type, rule] of [
  [number.int().min(0).max(65535).default(9090), 'must be an integer, at least 0, at most 65535'],
  [number.int().min(600).default(600), 'must be an integer, at least 600'],
  [number.min(1).default(1.5), 'must be a number, at least 1'],
  [number.positive().optional(), 'must be a number, above 0'],
  [number, 'must be a number'],
  [flag.default(true), 'must be 0, 1, true or false'],
  [z.enum(['otlp']).optional(), 'must be otlp'],
  [z.string().optional(), undefined],
] as [z.ZodType, string | undefined][])
  test(rule ?? 'a text has no rule', (t) => t.is(ruleOf(type), rule));

test('wrong values are refused with what they must be, and never shown', (t) => {
  const env = { NATS_URL: 'secret', LOG_LEVEL: 'loud', ADMIN_PORT: '70000', DRAIN_DELAY_MS: '1.5' };
  const { message } = t.throws(() => readConfig(processConfig, env));
  t.deepEqual(message.split('\n').slice(2), [
    '  LOG_LEVEL: must be trace, debug, info, warn, error, fatal or silent',
    '  ADMIN_PORT: must be an integer, at least 0, at most 65535',
    '  DRAIN_DELAY_MS: must be an integer, at least 0, at most 300000',
  ]);
  t.false(message.includes('secret'));
});
