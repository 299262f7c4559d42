import { setTimeout as delay } from 'node:timers/promises';
import { eventually } from '@roster/testing';
import test from 'ava';
import { RosterError } from '../index.js';
import { contact, json, problem, scripted, silence, type Reply } from './scripted-server.js';

const begun: Reply = (response) => {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.write('{"contact":');
};

/** A signal that aborts when a condition holds. */
function abortWhen(check: () => boolean): { signal: AbortSignal; reason: Error } {
  const controller = new AbortController();
  const reason = new Error('not wanted any more');
  void eventually(check).then(() => controller.abort(reason));
  return { signal: controller.signal, reason };
}

test('a signal that has aborted sends nothing, and its reason is thrown', async (t) => {
  const { roster, received } = await scripted(t, [json({ contact })]);
  const reason = new Error('too late');
  const call = roster.contacts.get('cont_1', {}, { signal: AbortSignal.abort(reason) });
  t.is(await t.throwsAsync(call), reason);
  t.is(received.length, 0);
});

for (const [stage, replies] of Object.entries({
  'before the answer': [silence],
  'within the answer': [begun],
  'within the answer of a fault': [
    (response) => {
      response.writeHead(503);
      response.write('{');
    },
  ],
  'between two attempts': [problem(503, 'unavailable', {}, { 'retry-after': '50' })],
} satisfies Record<string, Reply[]>))
  test(`a signal that aborts ${stage} ends the call with its reason, and the connection`, async (t) => {
    let closed = false;
    const reply: Reply = (response, request) => {
      response.socket!.on('close', () => (closed = true));
      request.resume();
      replies[0]!(response, request);
    };
    const { roster, received } = await scripted(t, [reply]);
    const abort = abortWhen(() => received.length === 1);
    const call = roster.contacts.get('cont_1', {}, { signal: abort.signal });
    t.is(await t.throwsAsync(call), abort.reason);
    if (stage !== 'between two attempts') await eventually(() => closed);
    t.is(received.length, 1);
  });

test('a signal that aborts while the API key is asked for sends nothing', async (t) => {
  const controller = new AbortController();
  const apiKey = async () => {
    controller.abort(new Error('no'));
    return 'rsk_1';
  };
  const { roster, received } = await scripted(t, [json({ contact })], { apiKey });
  await t.throwsAsync(roster.contacts.get('cont_1', {}, { signal: controller.signal }), {
    message: 'no',
  });
  t.is(received.length, 0);
});

for (const [stage, reply] of Object.entries({
  'without an answer': silence,
  'with half of one': begun,
}))
  test(`an attempt ${stage} ends after the time-out, and the next one is sent`, async (t) => {
    const { roster, received } = await scripted(t, [reply, json({ contact })], { timeoutMs: 1000 });
    t.like(await roster.contacts.get('cont_1'), contact);
    t.is(received.length, 2);
  });

test('time-outs of all attempts are thrown as a timeout, that of one call instead of that of the client', async (t) => {
  const { roster } = await scripted(t, [silence], { timeoutMs: 60_000, retries: 1 });
  const error = await t.throwsAsync(roster.meta.get({ timeoutMs: 100 }), {
    instanceOf: RosterError,
  });
  t.true(error.is('timeout'));
  t.deepEqual([error.status, error.attempts], [0, 2]);
  t.is(error.detail, 'GET /v1/meta took longer than 100 ms.');
});

test('an attempt without a time-out is answered however late', async (t) => {
  const late: Reply = (response) => {
    setTimeout(() => response.end(JSON.stringify({ contact })), 50);
  };
  const { roster, received } = await scripted(t, [late], { timeoutMs: Infinity });
  t.like(await roster.contacts.get('cont_1'), contact);
  t.is(received.length, 1);
});

test('a call that has ended leaves neither a timer nor a listener of its signal', async (t) => {
  const { roster } = await scripted(t, [problem(503, 'unavailable'), json({ contact })]);
  const { signal } = new AbortController();
  let listeners = 0;
  const { addEventListener, removeEventListener } = signal;
  signal.addEventListener = (...args: unknown[]) => {
    listeners += 1;
    addEventListener.apply(signal, args as never);
  };
  signal.removeEventListener = (...args: unknown[]) => {
    listeners -= 1;
    removeEventListener.apply(signal, args as never);
  };
  await roster.contacts.get('cont_1', {}, { signal });
  await delay(0);
  t.is(listeners, 0);
});
