import { throwawayNats } from '@roster/testing';
import test from 'ava';
import { connect, headers } from 'nats';
import { WrittenHeaders } from '../../events/client-internals.js';

const whatToDo = 'this version of nats lacks it: change libs/bus/events/client-internals.ts';

test('the NATS client encodes headers with `encode`, which can be replaced', (t) => {
  const documented = headers();
  documented.set('Nats-Msg-Id', 'evt_1');
  const { encode } = documented as unknown as { encode?: () => Uint8Array };
  t.is(typeof encode, 'function', whatToDo);
  const written = new WrittenHeaders({ 'Nats-Msg-Id': 'evt_1' });
  t.deepEqual(Buffer.from(written.encode()), Buffer.from(encode!.call(documented)));
});

test('messages that are consumed have their subscription as `sub`, which can be drained', async (t) => {
  const nats = await throwawayNats();
  t.teardown(() => nats.stop());
  const client = await connect({ servers: nats.url });
  t.teardown(() => client.close());
  const manager = await client.jetstreamManager();
  await manager.streams.add({ name: 'ONE', subjects: ['one'] });
  await manager.consumers.add('ONE', { durable_name: 'reader' });
  const consumer = await client.jetstream().consumers.get('ONE', 'reader');
  const messages = await consumer.consume();
  t.teardown(() => messages.stop());
  const { sub } = messages as { sub?: { drain?: unknown } };
  t.is(typeof sub?.drain, 'function', whatToDo);
});
