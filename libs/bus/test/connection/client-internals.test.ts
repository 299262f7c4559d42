import { throwawayNats } from '@roster/testing';
import test from 'ava';
import { connect, headers } from 'nats';
import * as internals from 'nats/lib/nats-base-client/internal_mod.js';
import { nodeResolveHost, NodeTransport } from 'nats/lib/src/node_transport.js';
import { WrittenHeaders } from '../../connection/client-internals.js';

const whatToDo = 'this version of nats lacks it: change libs/bus/connection/client-internals.ts';

test('the NATS client exports its connection, the factory of its transports and its parser', (t) => {
  t.is(typeof internals.NatsConnectionImpl.connect, 'function', whatToDo);
  t.is(typeof internals.setTransportFactory, 'function', whatToDo);
  t.is(typeof internals.DataBuffer.concat, 'function', whatToDo);
  t.is(typeof internals.extractProtocolMessage, 'function', whatToDo);
  t.is(typeof nodeResolveHost, 'function', whatToDo);
});

test('the transport of the NATS client begins TLS with `startTLS`, and keeps what it received in `yields`', (t) => {
  const transport = new NodeTransport();
  t.true(Array.isArray((transport as unknown as { yields?: unknown }).yields), whatToDo);
  t.is(typeof NodeTransport.prototype.startTLS, 'function', whatToDo);
  t.regex(NodeTransport.prototype.connect.toString(), /this\.startTLS\(/, whatToDo);
  t.regex(NodeTransport.prototype.peekInfo.toString(), /this\.yields\.push\(/, whatToDo);
});

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
