import type { RunningProcess } from '@roster/bus';
import test from 'ava';

import { checksOf, printChecks } from '../check-cluster.js';

const answeredAt = Date.UTC(2026, 0, 2);
const keys = 'k1:AAAA k2:BBBB';
const own: Record<string, Record<string, string>> = {
  gateway: {},
  contacts: { migration: 'm2', stream: '3 replicas, 60 s' },
  users: { migration: 'm1', stream: '3 replicas, 60 s', 'signing-key': 'k1:AAAA' },
  webhooks: { migration: 'm1', stream: '3 replicas, 60 s', 'token-keys': 't2 t1' },
  dispatcher: { migration: 'm1', stream: '3 replicas, 60 s' },
};

const processOf = (name: string, hostname: string, more = {}): RunningProcess => ({
  ...{ name, id: hostname, version: '0.3.0', askedAt: answeredAt - 20, answeredAt },
  metadata: {
    ...{ hostname, 'caller-keys': keys, time: new Date(answeredAt - 10).toISOString() },
    ...own[name],
    ...more,
  },
});
const sound = Object.keys(own).flatMap((name) => [
  processOf(name, `${name}-1`),
  processOf(name, `${name}-2`),
]);

const failedIn = (found: readonly RunningProcess[]) =>
  printChecks(checksOf(found).filter(({ isMet }) => !isMet));
/** The processes, of which one differs. */
const withOther = (name: string, more: object) => [
  ...sound.filter(({ id }) => id !== `${name}-2`),
  processOf(name, `${name}-2`, more),
];

test('processes that fit together pass every check, whether there are replicas or not', (t) => {
  t.is(failedIn(sound), '');
  t.is(failedIn(sound.filter(({ id }) => id.endsWith('1'))), '');
});

for (const [what, found, expected] of [
  [
    'a process that does not answer',
    sound.filter(({ name }) => name !== 'users'),
    /replicas: gateway 2, contacts 2, users 0.*\n.*No process of users answers/,
  ],
  [
    'a clock that is not known',
    withOther('users', { time: 'x' }),
    /^failed {2}clocks: users on users-2 unknown\n/,
  ],
  [
    'another release',
    [...sound.slice(1), { ...sound[0]!, version: '0.2.1' }],
    /^failed {2}version: 0\.3\.0; 0\.2\.1: gateway on gateway-1\n {8}Complete the rollout\.$/,
  ],
  [
    'other migrations',
    withOther('contacts', { migration: 'm1' }),
    /^failed {2}migrations of contacts: .*m1: contacts on contacts-2/,
  ],
  [
    'a list without the key that users signs with',
    withOther('gateway', { 'caller-keys': 'k2:BBBB' }),
    /CALLER_SIGNING_KEY: k1:AAAA\n.*CALLER_PUBLIC_KEYS of gateway on gateway-2[^]*CALLER_PUBLIC_KEYS: k1:AAAA k2:BBBB; k2:BBBB: gateway on gateway-2/,
  ],
  [
    'two keys that users signs with',
    withOther('users', { 'signing-key': 'k2:BBBB' }),
    /^failed {2}CALLER_SIGNING_KEY: k1:AAAA; k2:BBBB\n.*restart users/,
  ],
  [
    'other keys of tokens',
    withOther('webhooks', { 'token-keys': 't1' }),
    /^failed {2}TOKEN_KEYS: .*t1: webhooks on webhooks-2/,
  ],
  [
    'another setting of the stream',
    withOther('dispatcher', { stream: '1 replicas, 60 s' }),
    /^failed {2}settings of the stream: 3 replicas, 60 s; 1 replicas, 60 s: dispatcher on dispatcher-2/,
  ],
  [
    'a clock that is late',
    withOther('users', { time: new Date(answeredAt - 61_020).toISOString() }),
    /^failed {2}clocks: users on users-2 -61\.0 s\n/,
  ],
  [
    'a clock that is early',
    withOther('users', { time: new Date(answeredAt + 61_000).toISOString() }),
    /^failed {2}clocks: users on users-2 61\.0 s\n/,
  ],
] as [string, RunningProcess[], RegExp][])
  test(`${what} fails, with the process and what to do`, (t) => t.regex(failedIn(found), expected));

test('without a process of webhooks, nothing is said of its keys', (t) => {
  const checks = checksOf(sound.filter(({ name }) => name !== 'webhooks'));
  t.false(checks.some(({ check }) => check === 'TOKEN_KEYS'));
});
