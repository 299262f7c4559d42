import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { temporaryDirectory } from '@roster/testing';
import test from 'ava';
import { problemLinesOfAll } from './problem-lines.js';

test('shows the last lines of each log that report problems', async (t) => {
  const folder = await temporaryDirectory(t);
  const logs = {
    'contacts.log': [
      '{"level":"info","msg":"ready"}',
      '{"level":"warn","msg":"failed to mark events as published"}',
      '{"level":"debug","code":"unavailable","msg":"too many calls"}',
      '{"level":"debug","code":"conflict","msg":"exists"}',
      'Error: not caught',
    ],
    'nats.log': ['[7] 2026/11/23 11:00:00 [INF] Server is ready', '[7] 2026/11/23 [ERR] no space'],
    'postgres.log': ['2026 UTC [9] LOG:  checkpoint starting', '2026 UTC [9] FATAL:  no space'],
    'users.log': ['{"level":"info","msg":"ready"}'],
    'webhooks.log': [`first ${'.'.repeat(4000)}`, 'last'],
  };
  for (const [name, lines] of Object.entries(logs))
    await writeFile(join(folder, name), lines.map((line) => `${line}\n`).join(''));
  const shown = problemLinesOfAll(folder);
  const { 'contacts.log': contacts, 'nats.log': nats, 'postgres.log': postgres } = logs;
  t.is(
    shown.slice(0, shown.indexOf('webhooks.log')),
    [
      ...['contacts.log:', contacts[1], contacts[2], contacts[4]],
      ...['nats.log:', nats[1], 'postgres.log:', postgres[1], ''],
    ].join('\n'),
  );
  t.regex(shown, /webhooks\.log:\n\.+\nlast$/);
});
