import { operations, type Operation } from '@roster/contracts';
import test from 'ava';
import { readFile } from 'node:fs/promises';
import { gatewayConfig } from '../config.js';
import { problemStatus } from '../http/problem-types.js';

const reference = await readFile(new URL('../../README.md', import.meta.url), 'utf8');

test('the reference lists every operation with its scope and its own refusals', (t) => {
  for (const { http, faults } of Object.values(operations) as Operation[]) {
    if (!http) continue;
    const row = reference
      .split('\n')
      .find((line) => line.startsWith(`| \`${http.method} ${http.path}\` |`));
    t.truthy(row, http.path);
    const cells = row!.split('|').map((cell) => cell.trim());
    t.is(cells[2], http.scope);
    t.is(cells[4]!.startsWith('201 '), http.status === 201);
    t.is(cells[5], faults.map((code) => `\`${code}\``).join(', '));
  }
});

test('the reference lists every code with its status, and every variable with its default', (t) => {
  for (const [code, status] of Object.entries(problemStatus)) {
    t.regex(reference, new RegExp(`\`${code}\` (?:\\| ${status} \\||\\(${status}[,)])`));
  }
  const defaults = gatewayConfig.parse({ NATS_URL: 'nats://x' });
  const {
    NATS_URL: _,
    LOG_LEVEL: __,
    ADMIN_HOST: ___,
    ADMIN_PORT: ____,
    PORT,
    HOST,
    ...rest
  } = defaults;
  t.true(reference.includes(`| \`PORT\`, \`HOST\` | ${PORT}, ${HOST} |`));
  for (const [name, value] of Object.entries(rest))
    t.true(reference.includes(`| \`${name}\` | ${value} |`), name);
});
