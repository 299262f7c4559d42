import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { encodeId } from '@roster/contracts';
import { eventually, TcpProxy } from '@roster/testing';
import test, { type ExecutionContext } from 'ava';
import { Webhook } from 'standardwebhooks';
import { Client, type Contact } from '../system/client.js';
import { sharedRoster, type SharedRoster } from '../system/running-roster.js';
import { startReceiver } from '../system/receiver.js';
import { Handler } from './handler.js';
import { CommandLine } from './listening.js';
import { compare, endOfLog, loggedEvents } from './logged-events.js';

/** How long a process is stopped. Minutes make no difference that a longer time-out would not. */
const stoppedSeconds = Number(process.env.LISTEN_STOPPED_SECONDS ?? 12);

/** A workspace of its own, a handler, and a proxy to Roster. */
async function setUp(t: ExecutionContext) {
  const shared = await sharedRoster(t);
  const url = new URL(shared.baseUrl);
  const proxy = await TcpProxy.start({ host: url.hostname, port: Number(url.port) });
  const handler = await Handler.start();
  const commandLine = new CommandLine({
    baseUrl: `http://127.0.0.1:${proxy.port}`,
    apiKey: shared.apiKey,
  });
  const after = await endOfLog(shared);
  t.teardown(() => {
    proxy.stop();
    handler.down();
    commandLine.remove();
  });
  const listen = (...args: string[]) => {
    const command = commandLine.start('listen', '--forward-to', handler.url, ...args);
    t.teardown(() => command.end());
    return command;
  };
  return {
    ...{ shared, proxy, handler, commandLine, listen },
    client: new Client(shared),
    /** Waits until the handler has received all events of the log, and compares. */
    async settled(timeoutMs = 60_000) {
      const logged = await loggedEvents(shared, after);
      await eventually(() => compare(logged, handler.received).missing === 0, {
        ...{ timeoutMs, describe: 'all events of the log' },
      }).catch(() => undefined);
      return compare(logged, handler.received);
    },
  };
}

let contacts = 0;
async function createContact({ apiKey, baseUrl }: SharedRoster): Promise<Contact> {
  const { body } = await new Client({ apiKey, baseUrl }).post<{ contact: Contact }>(
    '/v1/contacts',
    { email: `listen-${process.pid}-${(contacts += 1)}@example.com` },
  );
  return body.contact;
}

/** Changes contacts until it is stopped. */
function changes(shared: SharedRoster) {
  const work = { isRunning: true };
  const done = (async () => {
    const all = [await createContact(shared), await createContact(shared)];
    for (let n = 0; work.isRunning; n += 1) {
      const operations = all.map(({ id }) => ({ action: 'update', id, name: `n${n}` }));
      await new Client(shared).post('/v1/contacts/batch', { operations });
      await delay(50);
    }
  })();
  return async () => {
    work.isRunning = false;
    await done;
  };
}

test('an event arrives as the delivery of a webhook would: body, headers and a valid signature', async (t) => {
  const { shared, handler, listen, client } = await setUp(t);
  const receiver = await startReceiver();
  t.teardown(() => receiver.stop());
  await client.post('/v1/webhooks', { url: receiver.url, events: ['CONTACT_CREATED'] });
  const command = await listen().ready();
  await createContact(shared);
  await eventually(() => handler.received.length === 1 && receiver.received.length === 1);
  const [local] = handler.received;
  const [delivered] = receiver.received;
  t.is(local!.body, delivered!.raw.toString());
  const own = (headers: object) =>
    Object.keys(headers)
      .filter((name) => /^(x-roster|webhook-|content-type|user-agent)/.test(name))
      .toSorted();
  t.deepEqual(own(local!.headers), own(delivered!.headers));
  for (const name of ['x-roster-event', 'x-roster-event-id', 'user-agent', 'content-type'])
    t.is(local!.headers[name], delivered!.headers[name], name);
  t.notThrows(() =>
    new Webhook(command.secret).verify(local!.body, local!.headers as Record<string, string>),
  );
  t.regex(String(local!.headers['webhook-id']), /^dlv_[0-9a-z]{26}$/);
  // IDs of deliveries begin with the time and counter of the event.
  t.is(
    String(local!.headers['webhook-id']).slice(4, 16),
    local!.headers['x-roster-event-id']!.slice(4, 16) as string,
  );
});

test('it says ready when the position is established: no later event is missed, none before is sent', async (t) => {
  const { shared, handler, listen, proxy, settled } = await setUp(t);
  await createContact(shared);
  await proxy.setMode('ignore');
  const command = listen();
  await delay(1500);
  t.false(command.isReady);
  await createContact(shared);
  await proxy.setMode('forward');
  await command.ready();
  const contact = await createContact(shared);
  await eventually(() => handler.received.length > 0);
  t.deepEqual(
    handler.received.map(({ contactId }) => contactId),
    [contact.id],
  );
  t.is((await settled(0)).unknown, 0);
});

test('events that were published while it was away arrive after its restart, also after it was killed', async (t) => {
  const { shared, handler, listen, settled } = await setUp(t);
  const first = await listen().ready();
  const stop = changes(shared);
  await eventually(() => handler.received.length > 20);
  await first.end('SIGKILL');
  await delay(500);
  const second = await listen().ready();
  t.is(second.secret, first.secret);
  await stop();
  const { missing, unknown, outOfOrder } = await settled();
  t.deepEqual({ missing, unknown, outOfOrder }, { missing: 0, unknown: 0, outOfOrder: 0 });
  t.is(await second.end('SIGINT'), 130);
});

test('Ctrl-C finishes what the handler has been sent, keeps the position, and exits with 130', async (t) => {
  const { shared, handler, listen } = await setUp(t);
  const command = await listen().ready();
  handler.latencyMs = 500;
  await createContact(shared);
  await eventually(() => handler.received.length === 1);
  t.is(await command.end('SIGINT'), 130);
  t.is(command.forwarded.length, 1);
  const again = await listen().ready();
  await createContact(shared);
  await eventually(() => handler.received.length === 2);
  t.is(new Set(handler.ids).size, 2);
  await again.end('SIGINT');
});

for (const mode of ['silence', 'reset', 'refuse', 'break', 'ignore'] as const)
  test(`no event is lost when the link fails (${mode}), and the failure is reported within 30 s`, async (t) => {
    const { shared, handler, proxy, listen, settled } = await setUp(t);
    const command = await listen().ready();
    const stop = changes(shared);
    await eventually(() => handler.received.length > 10);
    const cutAt = performance.now();
    await proxy.setMode(mode);
    await command.said(/The link to \S+ is lost/);
    t.true(performance.now() - cutAt < 30_000);
    await proxy.setMode('forward');
    await command.said(/The link works again/);
    await stop();
    t.like(await settled(), { missing: 0, unknown: 0, outOfOrder: 0, repeated: 0 });
  });

test('no event is lost or late without bound when the link is slow', async (t) => {
  const { shared, proxy, listen, settled } = await setUp(t);
  proxy.setShape({ latencyMs: 400, lostShare: 0.1 });
  await listen().ready();
  const stop = changes(shared);
  await delay(3000);
  await stop();
  t.like(await settled(), { missing: 0, unknown: 0, outOfOrder: 0, repeated: 0 });
});

test('no event is lost while the process is stopped, as on a machine that sleeps', async (t) => {
  t.timeout((stoppedSeconds + 120) * 1000);
  const { shared, handler, listen, settled } = await setUp(t);
  t.timeout((stoppedSeconds + 120) * 1000);
  const command = await listen().ready();
  const stop = changes(shared);
  await eventually(() => handler.received.length > 10);
  command.signal('SIGSTOP');
  await delay(stoppedSeconds * 1000);
  command.signal('SIGCONT');
  await delay(1000);
  await stop();
  t.like(await settled(), { missing: 0, unknown: 0, outOfOrder: 0, repeated: 0 });
});

test('events wait, in order, while the handler is down', async (t) => {
  const { shared, handler, listen, settled } = await setUp(t);
  const command = await listen().ready();
  const stop = changes(shared);
  await eventually(() => handler.received.length > 10);
  handler.down();
  await eventually(() => command.forwarded.some(({ error }) => error === 'connection refused'));
  await delay(2000);
  await handler.up();
  await stop();
  const { missing, unknown, outOfOrder } = await settled();
  t.deepEqual({ missing, unknown, outOfOrder }, { missing: 0, unknown: 0, outOfOrder: 0 });
});

test('the events of a contact arrive one after another, and others meanwhile', async (t) => {
  const { shared, handler, listen, settled } = await setUp(t);
  await listen().ready();
  handler.latencyMs = 100;
  let atOnce = 0;
  let atOnceMax = 0;
  const open = new Set<string>();
  const server = handler.answer;
  handler.answer = (event) => {
    open.delete(event.contactId!);
    atOnce -= 1;
    return server(event);
  };
  const push = handler.received.push.bind(handler.received);
  handler.received.push = (event) => {
    t.false(open.has(event.contactId!), 'an earlier event of the contact is not answered');
    open.add(event.contactId!);
    atOnceMax = Math.max(atOnceMax, (atOnce += 1));
    return push(event);
  };
  const stop = changes(shared);
  await delay(2000);
  await stop();
  t.like(await settled(), { missing: 0, unknown: 0, outOfOrder: 0, repeated: 0 });
  t.is(atOnceMax, 2);
});

test('any status is an answer; with --retry, an event is sent again until it is 2xx', async (t) => {
  const { shared, handler, listen } = await setUp(t);
  const statuses = [500, 302, 404, 200];
  handler.answer = () => statuses.shift();
  const once = await listen().ready();
  for (let n = 0; n < 3; n += 1) {
    await createContact(shared);
    await eventually(() => once.forwarded.length === n + 1);
  }
  t.deepEqual(
    once.forwarded.map(({ status }) => status),
    [500, 302, 404],
  );
  await once.end('SIGINT');
  statuses.unshift(500, 503);
  const retrying = await listen('--retry').ready();
  await createContact(shared);
  await eventually(() => retrying.forwarded.length === 3);
  t.deepEqual(
    retrying.forwarded.map(({ status, attempt }) => [status, attempt]),
    [
      [500, 1],
      [503, 2],
      [200, 3],
    ],
  );
  t.is(new Set(handler.ids).size, 4);
});

test('--events, --filter and --since select events', async (t) => {
  const { shared, handler, listen, client } = await setUp(t);
  const contact = await createContact(shared);
  await createContact(shared);
  await client.delete(`/v1/contacts/${contact.id}`);
  const filter = `data.contact.id=${contact.id}`;
  const command = await listen('--since', '1h', '--filter', filter).ready();
  await eventually(() => handler.received.length === 2);
  t.deepEqual(
    handler.received.map(({ kind }) => kind),
    ['CONTACT_CREATED', 'CONTACT_DELETED'],
  );
  await command.end('SIGINT');
  const only = await listen('--since', '1h', '--events', 'CONTACT_DELETED').ready();
  await eventually(() => handler.received.length === 3);
  await only.end('SIGINT');
  t.is(handler.received.at(-1)!.kind, 'CONTACT_DELETED');
});

test('a revoked key ends it with 4', async (t) => {
  const { shared, commandLine, handler, client, proxy } = await setUp(t);
  const { body } = await client.post<{ apiKey: { id: string }; secret: string }>('/v1/api-keys', {
    name: 'listen',
    scopes: ['api_user', 'user'],
  });
  const own = new CommandLine({ baseUrl: `http://127.0.0.1:${proxy.port}`, apiKey: body.secret });
  t.teardown(() => own.remove());
  const command = own.start('listen', '--forward-to', handler.url);
  t.teardown(() => command.end());
  await command.ready();
  await client.delete(`/v1/api-keys/${body.apiKey.id}`);
  t.is(await command.exited, 4);
  t.regex(command.stderr, /^unauthenticated: /m);
  void [shared, commandLine];
});

test('a key that was rotated in its file is read again, without a gap', async (t) => {
  const { shared, handler, client, proxy, settled } = await setUp(t);
  const newKey = async () => {
    const { body } = await client.post<{ apiKey: { id: string }; secret: string }>('/v1/api-keys', {
      name: 'listen',
      scopes: ['api_user'],
    });
    return body;
  };
  const own = new CommandLine({ baseUrl: `http://127.0.0.1:${proxy.port}` });
  t.teardown(() => own.remove());
  const file = join(own.folder, 'key');
  const first = await newKey();
  writeFileSync(file, first.secret);
  const command = own.start('listen', '--forward-to', handler.url, '--api-key-file', file);
  t.teardown(() => command.end());
  await command.ready();
  const stop = changes(shared);
  await eventually(() => handler.received.length > 5);
  writeFileSync(file, (await newKey()).secret);
  await client.delete(`/v1/api-keys/${first.apiKey.id}`);
  await delay(2000);
  await stop();
  t.like(await settled(), { missing: 0, unknown: 0, outOfOrder: 0, repeated: 0 });
  t.is(await command.end('SIGINT'), 130);
});

test('a position that is older than the events that are kept ends it with 1, until --since is passed', async (t) => {
  const { commandLine, listen } = await setUp(t);
  await (await listen().ready()).end('SIGINT');
  const folder = join(commandLine.folder, 'roster');
  const file = join(
    folder,
    readdirSync(folder).find((name) => name.endsWith('.json'))!,
  );
  const kept = JSON.parse(readFileSync(file, 'utf8')) as object;
  const position = encodeId('event', '01700000-0000-7000-8000-000000000000');
  writeFileSync(file, JSON.stringify({ ...kept, position }));
  const command = listen();
  t.is(await command.exited, 1);
  t.regex(command.stderr, /^The position is lost: .*--since/m);
  t.is(await (await listen('--since', '1h').ready()).end('SIGINT'), 130);
});

test('it gives up with 3 if Roster cannot be reached at the start, and says which address', async (t) => {
  t.timeout(120_000);
  const server = createServer();
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  server.close();
  const own = new CommandLine({
    baseUrl: `http://127.0.0.1:${port}`,
    apiKey: `rsk_${'0'.repeat(36)}`,
  });
  t.teardown(() => own.remove());
  const { code, stdout, stderr } = await own.run('listen', '--forward-to', 'localhost:9');
  t.deepEqual({ code, stdout }, { code: 3, stdout: '' });
  t.regex(stderr, new RegExp(`^http://127.0.0.1:${port} could not be reached for 30 s: `, 'm'));
});

test('a second one for the same handler is refused with 6, until the first has ended', async (t) => {
  const { listen } = await setUp(t);
  const first = await listen().ready();
  const second = listen();
  let code: number | null | undefined;
  void second.exited.then((exited) => (code = exited));
  await second.said(/Another process forwards to/);
  // Nothing keeps it: the wait for Roster at the start has 30 s.
  await eventually(() => code !== undefined, { timeoutMs: 15_000 });
  t.is(code, 6);
  t.regex(second.stderr, /Another process forwards to/);
  await first.end('SIGKILL');
  const third = await listen().ready();
  t.is(await third.end('SIGINT'), 130);
});

test('the position and the secret are kept in a file that others cannot read', async (t) => {
  const { commandLine, listen, shared, handler } = await setUp(t);
  const command = await listen().ready();
  await createContact(shared);
  await eventually(() => command.forwarded.length === 1);
  await command.end('SIGINT');
  const folder = join(commandLine.folder, 'roster');
  const files = readdirSync(folder).filter((name) => name.endsWith('.json'));
  t.is(files.length, 1);
  t.is(statSync(join(folder, files[0]!)).mode & 0o777, 0o600);
  const kept = JSON.parse(readFileSync(join(folder, files[0]!), 'utf8')) as object;
  t.like(kept, { secret: command.secret, forwardTo: handler.url });
});
