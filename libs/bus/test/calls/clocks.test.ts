import test, { type ExecutionContext } from 'ava';
import { steadyNow } from '../../index.js';
import { anyCaller, busFor, contactId, contactsHandlers, natsFor } from '../running-bus.js';

const hourMs = 3_600_000;

/** A service, and a client whose clock is `aheadMs` ahead. Both are connected to the same NATS server. */
async function serviceAndClient(t: ExecutionContext, aheadMs: number) {
  const nats = await natsFor(t);
  const applied: string[] = [];
  const server = await busFor(t, nats);
  const update = async (calls: { requestId: string }[]) =>
    calls.map(({ requestId }) => {
      applied.push(requestId);
      return {};
    });
  server.serve('contacts', contactsHandlers({ 'contacts.update': update }));
  await server.link.nats.flush();
  const client = await busFor(t, nats);
  /** Sends a batch that has been in transit for some time, and returns the outcome of its call. */
  const send = async (r: string, inTransitMs: number) => {
    const at = steadyNow() + aheadMs - inTransitMs;
    const calls = [{ c: 0, r, d: at + 10_000, i: { contactId } }];
    const batch = JSON.stringify({ at, clock: 'client', callers: [anyCaller], calls });
    const answer = await client.link.nats.request('contacts.update', batch, { timeout: 60_000 });
    const [outcome] = JSON.parse(answer.string().split('\n')[0]!) as [{ code: string } | number];
    return typeof outcome === 'number' ? 'ok' : outcome.code;
  };
  return { applied, send };
}

for (const aheadMs of [0, hourMs, -hourMs]) {
  const clock = `whose clock differs by ${aheadMs / hourMs} hours`;
  test(`answers a client ${clock}, and applies nothing of a batch that was delayed beyond the deadline`, async (t) => {
    const { applied, send } = await serviceAndClient(t, aheadMs);
    t.is(await send('first', 0), 'ok');
    t.is(await send('late', 120_000), 'unavailable');
    t.is(await send('next', 0), 'ok');
    t.deepEqual(applied, ['first', 'next']);
  });
}
