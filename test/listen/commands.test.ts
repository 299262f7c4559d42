import { eventKinds } from '@roster/contracts';
import { eventually } from '@roster/testing';
import test, { type ExecutionContext } from 'ava';
import { Webhook } from 'standardwebhooks';
import { Client } from '../system/client.js';
import { startReceiver } from '../system/receiver.js';
import { sharedRoster } from '../system/running-roster.js';
import { Handler } from './handler.js';
import { CommandLine } from './listening.js';
import { endOfLog, loggedEvents } from './logged-events.js';

async function setUp(t: ExecutionContext) {
  const shared = await sharedRoster(t);
  const handler = await Handler.start();
  const commandLine = new CommandLine(shared);
  t.teardown(() => {
    handler.down();
    commandLine.remove();
  });
  const start = (...args: string[]) => {
    const command = commandLine.start(...args);
    t.teardown(() => command.end());
    return command;
  };
  return { shared, handler, commandLine, start, client: new Client(shared) };
}

/** Kinds that no change causes at once. */
const caused = ['WEBHOOK_FAILING', 'DELIVERY_DEAD', 'KEY_EXPIRING'];

test('trigger makes a change of each kind, whose event arrives, and removes what it created', async (t) => {
  const { handler, commandLine, start, client } = await setUp(t);
  await start('listen', '--forward-to', handler.url).ready();
  for (const kind of eventKinds.filter((one) => !caused.includes(one))) {
    const { code, stdout, stderr } = await commandLine.run('trigger', kind);
    t.is(code, 0, stderr);
    const event = JSON.parse(stdout) as { id: string; kind: string; remains: string[] };
    t.is(event.kind, kind);
    await eventually(() => handler.ids.includes(event.id), { describe: kind });
    const { body } = handler.received.find(({ eventId }) => eventId === event.id)!;
    t.is((JSON.parse(body) as { event: string }).event, kind);
    t.is(/What remains/.test(stderr), event.remains.length > 0);
  }
  t.is((await client.get<{ contacts: unknown[] }>('/v1/contacts')).body.contacts.length, 0);
  t.is((await client.get<{ users: unknown[] }>('/v1/users')).body.users.length, 1);
  for (const kind of caused) {
    const { code, stderr } = await commandLine.run('trigger', kind);
    t.is(code, 2);
    t.regex(stderr, /roster webhooks test/);
  }
});

test('trigger sets fields, and refuses those that an event kind does not have', async (t) => {
  const { commandLine, client } = await setUp(t);
  const receiver = await startReceiver();
  t.teardown(() => receiver.stop());
  await client.post('/v1/webhooks', {
    url: receiver.url,
    events: ['CONTACT_UPDATED'],
    payload: 'full',
  });
  const { code } = await commandLine.run(
    ...['trigger', 'contact_updated', '--set', 'properties.city=Paris', '--set', 'name=Ada'],
  );
  t.is(code, 0);
  const received = await eventually(() => receiver.received[0]);
  t.like(received.body.data.contact, { name: 'Ada', properties: { city: 'Paris' } });
  t.is((await commandLine.run('trigger', 'IMPORT_ENDED', '--set', 'name=Ada')).code, 2);
  t.is((await commandLine.run('trigger', 'CONTACT_UPDATED', '--set', 'city=Paris')).code, 2);
  t.is((await commandLine.run('trigger', 'UNKNOWN')).code, 2);
});

test('events list, get and tail print the log, and tail continues after a printed position', async (t) => {
  const { shared, commandLine, start } = await setUp(t);
  const tail = start('events', 'tail', '--since', '1h', '--events', 'CONTACT_CREATED');
  const after = await endOfLog(shared);
  for (let n = 0; n < 2; n += 1)
    t.is((await commandLine.run('trigger', 'CONTACT_CREATED')).code, 0);
  const logged = await loggedEvents(shared, after);
  const created = logged.filter(({ kind }) => kind === 'CONTACT_CREATED').map(({ id }) => id);
  await eventually(() => tail.lines.length === 2);
  const printed = tail.lines.map((line) => JSON.parse(line) as { id: string; position: string });
  t.deepEqual(
    printed.map(({ id }) => id),
    created,
  );
  t.is(await tail.end('SIGINT'), 130);
  const again = start('events', 'tail', '--after', printed[0]!.position);
  await eventually(() => again.lines.length === 3);
  await again.end();
  const list = await commandLine.run('events', 'list', '--since', '1h', '--limit', '3');
  t.deepEqual(
    list.stdout.split('\n').map((line) => (JSON.parse(line) as { id: string }).id),
    logged.slice(0, 3).map(({ id }) => id),
  );
  const { stdout } = await commandLine.run('events', 'get', created[0]!);
  t.like(JSON.parse(stdout) as object, { id: created[0], deliveries: [] });
  t.is((await commandLine.run('events', 'get', 'evt_00000000000000000000000000')).code, 5);
});

test('events resend sends one event again, with the secret of listen, and ends with 1 unless it is accepted', async (t) => {
  const { handler, commandLine, start } = await setUp(t);
  const listening = await start('listen', '--forward-to', handler.url).ready();
  const { stdout } = await commandLine.run('trigger', 'CONTACT_DELETED');
  const { id } = JSON.parse(stdout) as { id: string };
  await eventually(() => handler.ids.includes(id));
  const [first] = handler.received.filter(({ eventId }) => eventId === id);
  const resend = () => commandLine.run('events', 'resend', id, '--forward-to', handler.url);
  t.is((await resend()).code, 0);
  const again = handler.received.at(-1)!;
  t.is(again.body, first!.body);
  t.is(again.headers['webhook-id'], first!.headers['webhook-id']);
  t.notThrows(() =>
    new Webhook(listening.secret).verify(again.body, again.headers as Record<string, string>),
  );
  handler.answer = () => 500;
  t.is((await resend()).code, 1);
  handler.down();
  const { code, stdout: refused } = await resend();
  t.is(code, 1);
  t.like(JSON.parse(refused) as object, { id, error: 'connection refused' });
});

test('deliveries tail prints each delivery of a webhook, and what becomes of it', async (t) => {
  const { commandLine, start, client } = await setUp(t);
  const receiver = await startReceiver();
  t.teardown(() => receiver.stop());
  const { body } = await client.post<{ webhook: { id: string } }>('/v1/webhooks', {
    url: receiver.url,
    events: ['CONTACT_CREATED'],
  });
  const tail = start('deliveries', 'tail', '--webhook', body.webhook.id, '--since', '1h');
  t.is((await commandLine.run('trigger', 'CONTACT_CREATED')).code, 0);
  await eventually(() => tail.stdout.includes('"status":"delivered"'));
  t.like(JSON.parse(tail.lines.at(-1)!) as object, { attemptCount: 1, kind: 'CONTACT_CREATED' });
  t.is(await tail.end('SIGINT'), 130);
});
