import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { eventually } from '@roster/testing';
import test from 'ava';
import { Client } from '../system/client.js';
import { sharedRoster } from '../system/running-roster.js';
import { Handler } from './handler.js';
import { CommandLine, type RunningCommand } from './listening.js';

const guide = fileURLToPath(new URL('../../../libs/cli/listen.md', import.meta.url));
const commands = [
  ...['listen', 'trigger', 'deliveries tail'],
  ...['events list', 'events get', 'events tail', 'events resend'],
];

/** Commands without an end. */
const endless = /^roster (listen|events tail|deliveries tail)/;

test('every command of the guide and of the help runs as it stands there', async (t) => {
  const shared = await sharedRoster(t);
  const handler = await Handler.start();
  const commandLine = new CommandLine(shared);
  t.teardown(() => {
    handler.down();
    commandLine.remove();
  });
  const { body } = await new Client(shared).post<{ webhook: { id: string } }>('/v1/webhooks', {
    url: handler.url,
    events: ['CONTACT_CREATED'],
  });
  const { stdout } = await commandLine.run('trigger', 'CONTACT_CREATED');
  const { id: eventId } = JSON.parse(stdout) as { id: string };
  const examples = [...(await readFile(guide, 'utf8')).matchAll(/^roster .*$/gm)].map(String);
  for (const command of commands) {
    const { stdout: help } = await commandLine.run(...command.split(' '), '--help');
    const own = [...help.matchAll(/^ {2}\$ (.*)$/gm)].map(([, example]) => example!);
    t.true(own.length > 0 && own.every((one) => one.startsWith(`roster ${command}`)), command);
    examples.push(...own);
  }
  t.true(examples.length > 20);
  for (const example of new Set(examples)) {
    const [, ...args] = example
      .replace('http://localhost:3000/hook', handler.url)
      .replace('evt_…', eventId)
      .replace('wh_…', body.webhook.id)
      .split(' ');
    const command = commandLine.start(...args);
    t.teardown(() => command.end());
    if (endless.test(example)) {
      await (args[0] === 'listen' ? command.ready() : following(command));
      t.is(await command.end('SIGINT'), 130, example);
    } else t.is(await command.exited, 0, `${example}\n${command.stderr}`);
  }

  /** Prints what is triggered meanwhile. */
  async function following(command: RunningCommand): Promise<void> {
    await eventually(
      async () => {
        await commandLine.run('trigger', 'CONTACT_CREATED');
        return command.lines.length > 0;
      },
      { timeoutMs: 60_000 },
    );
  }
});
