import type { Finding } from '../faults/reconcile.js';
import { patience } from '../system/running-roster.js';
import type { PhaseFigures } from './retrying-client.js';

/** The timeout of requests in the gateway. */
const answeredWithinMs = Number(patience.REQUEST_TIMEOUT_MS);

/** Compares the requests of a phase with its promise. */
export function judgePhase(
  { name, strict }: { name: string; strict: boolean },
  phases: readonly PhaseFigures[],
  requestsMin: number,
): Finding {
  const seen = phases.filter((phase) => phase.name === name);
  const failures = seen.flatMap((phase) => [...phase.failures]);
  return {
    promise: strict
      ? `${name}: no request fails`
      : `${name}: every request succeeds when it is retried as the reference describes`,
    violations: [
      ...tooFew(seen, requestsMin),
      ...seen.flatMap(({ givenUp }) => givenUp),
      ...(strict ? failures.map(([what, times]) => `${times} × ${what}`) : []),
      ...(strict ? seen.flatMap(tooSlow) : []),
    ],
  };
}

/** A phase without failures proves nothing with less load. */
function tooFew(phases: readonly PhaseFigures[], requestsMin: number): string[] {
  const requests = phases.reduce((sum, phase) => sum + phase.requests, 0);
  return requests === 0 || requests < requestsMin
    ? [`only ${requests} requests were sent, not ${requestsMin}`]
    : [];
}

const tooSlow = ({ slowestMs, slowest }: PhaseFigures): string[] =>
  slowestMs > answeredWithinMs ? [`${slowest} was answered after ${slowestMs.toFixed(0)} ms`] : [];
