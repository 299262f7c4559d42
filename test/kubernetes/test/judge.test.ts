import test from 'ava';
import {
  changedObjects,
  dryRunFindings,
  refusals,
  unknownKinds,
  warnings,
} from '../judge/applied.js';
import { compareEvents } from '../judge/events.js';
import {
  countFailures,
  describePhase,
  failureViolations,
  undisturbedViolations,
} from '../judge/phase.js';
import type { Change } from '../pods/load.js';
import type { Failure, PhaseSummary } from '../pods/load-phase.js';

const failure = (outcome: string): Failure => ({
  at: '2026-11-22T12:00:00.000Z',
  operation: 'create',
  connection: 'kept',
  outcome,
  ms: 7,
});
const phase = (changes: Partial<PhaseSummary>): PhaseSummary => ({
  name: 'a phase',
  seconds: 10,
  requests: 200,
  unsent: 0,
  failures: [],
  unresolved: 0,
  p99Ms: 20,
  slowestMs: 30,
  ...changes,
});

test('one failed request is a violation', (t) => {
  t.deepEqual(undisturbedViolations(phase({}), 100), []);
  t.is(undisturbedViolations(phase({ failures: [failure('503')] }), 100).length, 1);
});

test('a phase with too few requests is a violation', (t) => {
  t.regex(undisturbedViolations(phase({ requests: 99 }), 100)[0]!, /only 99/);
  t.regex(failureViolations(phase({ requests: 0 }), 100)[0]!, /only 0/);
});

test('during a failure, requests may fail with retryable errors, and with no other error', (t) => {
  const failures = [
    '503',
    '504',
    '200 unavailable',
    'ECONNRESET',
    'EAI_AGAIN',
    'socket hang up',
    'no response in time',
  ].map(failure);
  t.deepEqual(failureViolations(phase({ failures }), 100), []);
  for (const outcome of ['500', '401', '404', '409', '200 internal'])
    t.is(failureViolations(phase({ failures: [failure(outcome)] }), 100).length, 1, outcome);
});

test('a request that never succeeds is a violation of both', (t) => {
  t.is(failureViolations(phase({ unresolved: 1 }), 100).length, 1);
  t.is(undisturbedViolations(phase({ unresolved: 1 }), 100).length, 1);
});

test('a request that could not be sent is a violation', (t) => {
  t.regex(undisturbedViolations(phase({ unsent: 3 }), 100)[0]!, /^3 requests were not sent/);
  t.deepEqual(failureViolations(phase({ unsent: 3 }), 100), []);
  t.regex(describePhase(phase({ unsent: 3 })), /, 3 not sent,/);
});

test('failures are counted by operation, connection and outcome', (t) => {
  t.deepEqual(countFailures([failure('503'), failure('504'), failure('503')]), [
    '2 × create over a kept connection: 503',
    '1 × create over a kept connection: 504',
  ]);
});

const created = (contactId: string): Change => ({ event: 'CONTACT_CREATED', contactId, name: '' });
const updated = (contactId: string, name: string): Change => ({
  event: 'CONTACT_UPDATED',
  contactId,
  name,
});

test('events are compared by the changes that they describe, each update separately', (t) => {
  const changes = [created('cont_1'), updated('cont_1', 'a'), updated('cont_1', 'b')];
  const report = { events: changes, repeated: 3, forged: 0 };
  t.deepEqual(compareEvents(changes, report), []);
  const lost = compareEvents(changes, { ...report, events: changes.slice(0, 2) });
  t.deepEqual(lost, ['1 lost:', '  CONTACT_UPDATED cont_1 b']);
  const more = compareEvents(changes, { ...report, events: [...changes, created('cont_2')] });
  t.deepEqual(more, ['1 delivered, but never acknowledged:', '  CONTACT_CREATED cont_2']);
});

test('a change that is delivered as two events is a violation', (t) => {
  const changes = [created('cont_1')];
  const report = { events: [created('cont_1'), created('cont_1')], repeated: 0, forged: 0 };
  t.deepEqual(compareEvents(changes, report), [
    '1 delivered as two events:',
    '  CONTACT_CREATED cont_1',
  ]);
});

test('an unsigned delivery, or a run without changes, is a violation', (t) => {
  t.is(compareEvents([], { events: [], repeated: 0, forged: 0 }).length, 1);
  const events = [created('cont_1')];
  t.is(compareEvents(events, { events, repeated: 0, forged: 1 }).length, 1);
});

test('only "unchanged" counts as unchanged', (t) => {
  const stdout =
    'namespace/roster unchanged\nservice/gateway configured\njob.batch/migrate-1 created\n';
  t.deepEqual(changedObjects(stdout), [
    'service/gateway configured',
    'job.batch/migrate-1 created',
  ]);
});

test('the unknown kinds of a dry run are distinguished from its errors', (t) => {
  const stderr = [
    'Warning: would violate PodSecurity "restricted:latest": runAsNonRoot != true',
    'error: resource mapping not found for name: "gateway" namespace: "roster" from "x": no matches for kind "PodMonitor" in version "monitoring.coreos.com/v1"',
    'ensure CRDs are installed first',
    'Error from server (BadRequest): error when creating "x": Deployment in version "v1" cannot be handled: strict decoding error: unknown field "spec.x"',
  ].join('\n');
  t.deepEqual(unknownKinds(stderr), ['PodMonitor']);
  t.is(refusals(stderr).length, 1);
  t.regex(refusals(stderr)[0]!, /unknown field/);
  t.is(warnings(stderr).length, 1);
});

test('a dry run without output has validated nothing', (t) => {
  const stdout = 'namespace/roster created (server dry run)\n';
  const judged = (stderr: string, failed: boolean, seen = stdout) =>
    dryRunFindings({ stdout: seen, stderr, failed });
  t.deepEqual(judged('', false), []);
  t.deepEqual(judged('no matches for kind "PodMonitor" in version "x"', true), []);
  t.deepEqual(judged('', true), ['kubectl failed without an error message']);
  t.deepEqual(judged('', false, ''), ['no object was validated']);
  t.deepEqual(judged('Error from server: no', true), ['Error from server: no']);
});
