import { eventually } from '@roster/testing';
import test from 'ava';
import { AttemptAdmission } from '../../delivery/attempt-admission.js';
import { Circuits } from '../../delivery/circuits.js';
import { AttemptsInFlight } from '../../slots/attempts-in-flight.js';
import { RateLimits } from '../../slots/rate-limits.js';
import { Slots } from '../../slots/slots.js';
import type { KnownWebhook } from '../../webhooks/known-webhook.js';

const failed = { error: 'no', statusCode: 500, retryAfter: null };
const known = (more: Partial<KnownWebhook> = {}): KnownWebhook => ({
  id: 'w',
  workspaceId: 'k',
  url: new URL('https://example.com/'),
  payload: 'compact',
  headers: {},
  ratePerSecond: null,
  filter: null,
  filterChangedMs: null,
  traceContext: false,
  token: 'a-token',
  previousToken: null,
  disabledReason: null,
  since: new Map(),
  disabled: null,
  ...more,
});

function open({ mayProbe = true, waitMs = 60_000, openSeconds = 0.001 } = {}) {
  const circuits = new Circuits({ openSeconds, openSecondsMax: openSeconds });
  const inFlight = new AttemptsInFlight({ perWebhookMax: 1, perTargetMax: 9 });
  const { targets } = inFlight;
  const limits = { totalMax: 1, yielded: 0, slowMax: 1, waitingMax: 1, waitingTotalMax: 9, waitMs };
  const slots = new Slots(limits, inFlight);
  const rates = new RateLimits({ grant: async () => 0 });
  const fail = () => {
    for (let n = 0; n < 5; n += 1) circuits.note('w', failed);
  };
  const admission = new AttemptAdmission({ circuits, slots, targets, rates, mayProbe });
  return { circuits, slots, targets, rates, fail, admission };
}

test('checks in order: enabled, token, circuit, slot; a refused delivery takes no slot and no probe', async (t) => {
  const { admission, circuits, slots, fail } = open({ openSeconds: 600 });
  const unsigned = known({ token: null, disabledReason: 'Disabled by a user.' });
  fail();
  t.is(await admission.enter(unsigned), 'disabled');
  t.is(await admission.enter(known({ token: null })), 'unsigned');
  t.is(await admission.enter(known()), 'busy');
  t.true(admission.secondsUntilOpen('w') > 599);
  t.is(slots.taken, 0);
  circuits.note('w', { error: null, statusCode: 200, retryAfter: null });
  t.is(await admission.enter(known()), 'regular');
  t.is(slots.taken, 1);
  admission.leave(known(), 'regular');
  t.is(slots.taken, 0);
});

test('a half-open circuit admits one probe from the lane that may probe, and nothing from the other', async (t) => {
  const retries = open();
  retries.fail();
  await eventually(() => retries.circuits.secondsUntilProbe('w') === 0);
  const fresh = new AttemptAdmission({ ...retries, mayProbe: false });
  t.is(await fresh.enter(known()), 'busy');
  t.is(await retries.admission.enter(known()), 'probe');
  t.is(await retries.admission.enter(known()), 'busy');
  // The probe was not made: the next attempt may be the probe.
  retries.admission.leave(known(), 'probe');
  t.is(await retries.admission.enter(known()), 'probe');
});

test('a probe that finds no slot releases the probe', async (t) => {
  const { admission, slots, circuits, fail } = open({ waitMs: 1 });
  fail();
  t.true(await slots.reserve(known({ id: 'other' })));
  await eventually(() => circuits.secondsUntilProbe('w') === 0);
  t.is(await admission.enter(known()), 'busy');
  t.deepEqual(circuits.unclosed(), { open: [], halfOpen: ['w'] });
});

test('a delivery whose circuit opens while it waits for a slot is refused, and gives the slot back', async (t) => {
  const { admission, slots, fail } = open({ openSeconds: 600 });
  t.is(await admission.enter(known()), 'regular');
  const waiting = admission.enter(known());
  fail();
  admission.leave(known(), 'regular');
  t.is(await waiting, 'busy');
  t.is(slots.taken, 0);
});
