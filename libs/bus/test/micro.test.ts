import { hostname } from 'node:os';
import { Fault, operationsOf, releaseVersion, scopes } from '@roster/contracts';
import { eventually } from '@roster/testing';
import test from 'ava';
import type { NatsConnection } from 'nats';
import { askProcesses, Json, permissionsOf } from '../index.js';
import { connectProgram, connectThief, guardedNats } from './permissions/guarded-nats.js';
import { busFor, handlersOf, natsFor, within } from './running-bus.js';

const workspaceId = 'wksp_01h455vb4pex5vsknk084sn02q';
const caller = { workspaceId, userId: '', keyId: '', scopes: [...scopes] };
const contactId = 'cont_01h455vb4pex5vsknk084sn02q';

/** The standard client of services of NATS. */
const monitorOf = (client: NatsConnection) =>
  client.services.client({ strategy: 'stall', maxWait: 2000 } as never);

async function all<T>(answers: Promise<AsyncIterable<T>>): Promise<T[]> {
  const found: T[] = [];
  for await (const answer of await answers) found.push(answer);
  return found;
}

test('the operator sees each process as a service of NATS, with the calls that it has answered', async (t) => {
  const guarded = await guardedNats(t);
  const [gateway, contacts, replica] = await Promise.all(
    (['gateway', 'contacts', 'contacts'] as const).map((name) => connectProgram(t, guarded, name)),
  );
  let isAway = false;
  const handlers = handlersOf('contacts', {
    'contacts.get': async (calls) =>
      calls.map(() => (isAway ? new Fault('not_found', 'It is away.') : new Json('{}'))),
  });
  contacts!.bus.serve('contacts', handlers);
  await contacts!.bus.link.nats.flush();
  const get = () =>
    gateway!.bus
      .call('contacts.get', { contactId }, within(10_000, { caller }))
      .catch(() => undefined);
  await Promise.all([get(), get(), get()]);
  isAway = true;
  await get();

  const operator = await connectThief(t, guarded, 'operator', '_INBOX.operator.srv');
  const monitor = monitorOf(operator);
  const found = await eventually(async () => {
    const answers = await all(monitor.ping());
    return answers.length === 3 && answers;
  });
  t.deepEqual(
    found.map(({ name, version }) => `${name} ${version}`).toSorted(),
    ['contacts', 'contacts', 'gateway'].map((name) => `${name} ${releaseVersion}`),
  );
  t.is(new Set(found.map(({ id }) => id)).size, 3);
  t.true(found.every(({ metadata }) => metadata?.['hostname'] === hostname()));

  const operations = Object.keys(operationsOf.contacts);
  const infos = await all(monitor.info('contacts'));
  t.is(infos.length, 2);
  const serving = infos.find(({ endpoints }) => endpoints.length > 0)!;
  t.deepEqual(serving.endpoints.map(({ subject }) => subject).toSorted(), operations.toSorted());
  t.true(serving.endpoints.every(({ queue_group }) => queue_group === 'contacts'));

  const [stats, ...others] = await all(monitor.stats('contacts', serving.id));
  t.deepEqual(others, []);
  const figures = stats!.endpoints!.find(({ subject }) => subject === 'contacts.get')!;
  t.like(figures, {
    name: 'contacts-get',
    num_requests: 4,
    num_errors: 1,
    last_error: 'not_found',
    data: { outcomes: { ok: 3, not_found: 1 } },
  });
  t.true(figures.processing_time > 0);
  for (const { errors } of [gateway!, contacts!, replica!]) t.deepEqual(errors, []);
});

test('a process without users in NATS answers as well, and ignores what is no request of an operator', async (t) => {
  const nats = await natsFor(t);
  const bus = await busFor(t, nats);
  const other = await busFor(t, nats);
  const client = other.link.nats;
  const heard: string[] = [];
  client.subscribe('elsewhere', { callback: (_, { subject }) => void heard.push(subject) });
  client.publish('$SRV.PING.test', '', { reply: 'elsewhere' });
  client.publish('$SRV.OTHER.test', '', { reply: '_INBOX.x' });
  client.publish('$SRV.PING.test');
  const answers = await all(monitorOf(client).ping('test'));
  t.is(answers.length, 2);
  t.deepEqual(heard, []);
  t.true(bus.link.up);
});

test('a process works without answering if the permissions of NATS are those of a release that did not answer', async (t) => {
  const guarded = await guardedNats(t);
  const { publicKey } = guarded.keys.contacts;
  const { publish, subscribe } = permissionsOf('contacts');
  const isFormer = (subject: string) => !subject.startsWith('$SRV') && !subject.includes('.srv.');
  const permissions = {
    publish: { allow: publish.allow.filter(isFormer) },
    subscribe: { allow: subscribe.allow.filter(isFormer) },
  };
  await guarded.nats.allowOnly({ nkey: publicKey, permissions });
  const { bus } = await connectProgram(t, guarded, 'contacts');
  await bus.link.nats.flush();
  t.deepEqual(bus.link.deniedSubscriptions, []);
  t.true(bus.link.up);
});

test('an answer that no process sends, as with a stolen credential, neither ends doctor nor reaches the terminal', async (t) => {
  const guarded = await guardedNats(t);
  const operator = await connectProgram(t, guarded, 'operator');
  const thief = await connectThief(t, guarded, 'contacts');
  const own = { name: 'contacts', id: 'a', version: '1.0.0' };
  const answers = [
    ...['{', 'null', '7', '{}', JSON.stringify({ ...own, metadata: null, name: 7 })],
    JSON.stringify({ ...own, id: 'x'.repeat(5000), metadata: {} }),
    JSON.stringify({ ...own, version: '\u001b[2J', metadata: { hostname: 'a\nok', pid: {} } }),
    ...Array.from({ length: 1200 }, (_, n) =>
      JSON.stringify({ ...own, id: `a${n}`, metadata: {} }),
    ),
    JSON.stringify({ ...own, id: 'a', metadata: {} }),
  ];
  thief.subscribe('$SRV.INFO', {
    callback: (_, { reply }) => answers.forEach((answer) => thief.publish(reply!, answer)),
  });
  await thief.flush();
  const found = await askProcesses(operator.bus.link);
  t.is(found.length, 1000);
  t.like(found[0], { version: '\u{FFFD}[2J', metadata: { hostname: 'a\u{FFFD}ok' } });
  t.deepEqual(operator.errors, []);
});
