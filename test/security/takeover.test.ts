import { randomUUID } from 'node:crypto';
import { type ProgramName, eventSubject } from '@roster/contracts';
import test, { type ExecutionContext } from 'ava';
import { connect, nkeyAuthenticator, type NatsConnection } from 'nats';
import { readFile } from 'node:fs/promises';
import { seedFileOf, startRoster, type RunningRoster } from '../system/running-roster.js';

let running: RunningRoster;

test.before(async (t) => {
  running = await startRoster({ t });
});

test.after.always(() => running?.discard());

/** Connects as an attacker who has stolen the key of a program. */
async function steal(t: ExecutionContext, program: ProgramName): Promise<NatsConnection> {
  const seed = await readFile(seedFileOf(running, program), 'utf8');
  const client = await connect({
    servers: running.natsUrl,
    authenticator: nkeyAuthenticator(Buffer.from(seed.trim())),
    inboxPrefix: `_INBOX.${program}`,
  });
  t.teardown(() => client.close());
  return client;
}

/** A request as the bus writes it, with a claimed caller. */
const requestOf = (input: object, caller: object = {}) =>
  JSON.stringify({
    at: Date.now(),
    clock: 'client',
    callers: [{ workspaceId: '', userId: '', keyId: 'system', scopes: [], ...caller }],
    calls: [{ c: 0, r: randomUUID(), d: Date.now() + 10_000, i: input }],
  });

test('a client without a credential is rejected', async (t) => {
  await t.throwsAsync(connect({ servers: running.natsUrl }), {
    message: /Authorization Violation/i,
  });
});

test('the key of the gateway makes no workspace and no key, and decrypts no token', async (t) => {
  const thief = await steal(t, 'gateway');
  for (const [operation, input] of [
    ['workspaces.create', { name: 'Mine', ownerEmail: 'eve@example.com', ownerName: 'Eve' }],
    ['keys.create', { userId: running.userId, scopes: ['user'] }],
    ['keys.revoke', { keyId: 'key_01h455vb4pex5vsknk084sn02q' }],
    ['webhooks.subscriptions', { workspaceId: running.workspaceId }],
  ] as const)
    await t.throwsAsync(thief.request(operation, requestOf(input), { timeout: 30_000 }), {
      message: new RegExp(`Permissions Violation for Publish to "${operation}"`, 'i'),
    });
});

test('the key of the gateway reads no inbox of another program, also not by asking for it', async (t) => {
  const thief = await steal(t, 'gateway');
  const denied = (subject: string) =>
    new Promise((resolve) =>
      thief.subscribe(subject, { callback: (error) => resolve(error?.message) }),
    );
  for (const subject of ['_INBOX.>', '_INBOX.operator.>', '_INBOX.dispatcher.>', '>'])
    t.regex(String(await denied(subject)), /Permissions Violation for Subscription/i);
  // Which calls no operation of contacts.
  const dispatcher = await steal(t, 'dispatcher');
  const misled: unknown[] = [];
  dispatcher.subscribe('_INBOX.dispatcher.contacts.>', {
    callback: (_, message) => misled.push(message),
  });
  await dispatcher.flush();
  const { workspaceId, userId } = running;
  const caller = { workspaceId, userId, scopes: ['api_user', 'user'] };
  const request = requestOf({ limit: 1, offset: 0 }, caller);
  thief.publish('contacts.list', request, { reply: '_INBOX.dispatcher.contacts.abc.1' });
  // The same request with an inbox of its own is answered: refused, because no statement proves its caller. The service has
  // received both then.
  const own = new Promise<string>((resolve) =>
    thief.subscribe('_INBOX.gateway.contacts.abc.*', {
      callback: (_, message) => resolve(message.string()),
    }),
  );
  thief.publish('contacts.list', request, { reply: '_INBOX.gateway.contacts.abc.2' });
  t.regex(await own, /"code":"unavailable"/);
  await dispatcher.flush();
  t.deepEqual(misled, []);
});

test('the key of the gateway answers no operation, publishes no event and no broadcast, and deletes no event', async (t) => {
  const thief = await steal(t, 'gateway');
  const denied = new Promise<string[]>((resolve) => {
    const subjects: string[] = [];
    void (async () => {
      for await (const { permissionContext } of thief.status()) {
        if (!permissionContext) continue;
        if (permissionContext.subject === 'last') return resolve(subjects);
        subjects.push(permissionContext.subject);
      }
    })();
  });
  const tried = [
    eventSubject(running.workspaceId, 'CONTACT_CREATED'),
    'keys.revoked',
    'webhooks.changed',
    '_INBOX.gateway.contacts.abc.1',
    '$JS.API.STREAM.DELETE.EVENTS',
    '$JS.API.STREAM.UPDATE.EVENTS',
    '$JS.API.CONSUMER.MSG.NEXT.EVENTS.dispatcher',
    '$JS.API.CONSUMER.DELETE.EVENTS.dispatcher',
  ];
  for (const subject of tried) thief.publish(subject);
  thief.subscribe('contacts.get', { queue: 'contacts', callback: () => {} });
  thief.publish('last');
  t.deepEqual(await denied, [...tried, 'contacts.get']);
});

test('the key of a service makes no key either, and the operator makes one', async (t) => {
  for (const program of ['contacts', 'users', 'webhooks', 'dispatcher'] as const) {
    const thief = await steal(t, program);
    await t.throwsAsync(
      thief.request('keys.create', requestOf({ userId: running.userId, scopes: ['user'] })),
      { message: /Permissions Violation/i },
    );
  }
  const made = await running.roster('key', 'create', '--user', running.userId, '--scopes', 'user');
  t.regex(JSON.stringify(made), /rsk_/);
});
