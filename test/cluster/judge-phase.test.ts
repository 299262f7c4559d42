import test from 'ava';
import { judgePhase } from './judge-phase.js';
import type { PhaseFigures } from './retrying-client.js';

const strict = { name: 'restart', strict: true };
const lenient = { name: 'restart', strict: false };

test('a phase with too little load fails', (t) => {
  const of = (phases: PhaseFigures[]) => judgePhase(lenient, phases, 40).violations;
  t.deepEqual(of([]), ['only 0 requests were sent, not 40']);
  t.deepEqual(of([seen({ requests: 39 })]), ['only 39 requests were sent, not 40']);
  t.deepEqual(of([seen({ requests: 40 })]), []);
  t.is(judgePhase(lenient, [seen({ requests: 0 })], 0).violations.length, 1);
});

test('a request may be retried after a kill, but not during a restart', (t) => {
  const phases = [seen({ failures: new Map([['503', 2]]), recovered: 2 })];
  t.deepEqual(judgePhase(lenient, phases, 40).violations, []);
  t.deepEqual(judgePhase(strict, phases, 40).violations, ['2 × 503']);
});

test('a request without a response fails every phase', (t) => {
  const phases = [seen({ givenUp: ['GET /v1/contacts: 503 after 9 attempts'] })];
  for (const phase of [strict, lenient]) t.is(judgePhase(phase, phases, 40).violations.length, 1);
});

test('during a restart no response takes longer than the wait for a service', (t) => {
  const phases = [seen({ slowestMs: 30_001, slowest: 'GET contacts' })];
  t.deepEqual(judgePhase(strict, phases, 40).violations, [
    'GET contacts was answered after 30001 ms',
  ]);
  t.deepEqual(judgePhase(lenient, phases, 40).violations, []);
});

const seen = (figures: Partial<PhaseFigures>): PhaseFigures => ({
  name: 'restart',
  requests: 100,
  open: 0,
  failures: new Map(),
  recovered: 0,
  givenUp: [],
  slowestMs: 100,
  slowest: 'PUT contacts',
  ...figures,
});
