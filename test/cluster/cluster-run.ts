import { setTimeout as delay } from 'node:timers/promises';
import { eventually } from '@roster/testing';
import { reconcileUnderLoad } from '../faults/fault-run.js';
import { inFlightMax } from '../faults/change-load.js';
import { Random } from '../faults/random.js';
import type { Reconciliation } from '../faults/reconcile.js';
import { RestClient } from '../faults/rest-client.js';
import { judgePhase } from './judge-phase.js';
import { RetryingClient, type PhaseFigures } from './retrying-client.js';
import { RunningCluster } from './running-cluster.js';

/** A disruption of the cluster under load. */
export interface Phase {
  name: string;
  /** If set, no request may fail. Otherwise requests may fail, but must succeed when retried as the API reference describes. */
  strict: boolean;
  act: (cluster: RunningCluster, print: (line: string) => void) => Promise<void>;
}

export interface ClusterRun {
  seed: number;
  phases: readonly Phase[];
  requestsPerSecond: number;
  /** How long the load continues after the disruption of each phase. */
  restSeconds: number;
  settleSeconds: number;
  env: Record<string, string>;
  print: (line: string) => void;
}

export interface ClusterResult extends Reconciliation {
  phases: PhaseFigures[];
}

/** Runs two of everything under load through the phases, then reconciles the events by id. */
export async function runCluster(run: ClusterRun): Promise<ClusterResult> {
  const { print } = run;
  const random = new Random(run.seed);
  const own = () => new Random(Math.floor(random.next() * 2 ** 32));
  const startedAt = performance.now();
  const cluster = await RunningCluster.start(run.env);
  print(`two of everything after ${seconds(startedAt)} s`);
  const rest = new RestClient(cluster, {
    connectionsMax: inFlightMax / 4,
    answerTimeoutMs: 60_000,
  });
  const client = new RetryingClient(rest.send);
  try {
    const result = await reconcileUnderLoad(cluster, {
      random: own,
      behaviours: ['reliable', 'unreliable'],
      send: client.send,
      changesPerSecond: run.requestsPerSecond,
      reads: 0.4,
      settleSeconds: run.settleSeconds,
      print,
      async whileLoaded() {
        for (const phase of run.phases) {
          const [former] = client.phases.slice(-1);
          client.enter(phase.name);
          // Requests of the previous phase must complete before this disruption.
          await eventually(() => former?.open === 0, {
            timeoutMs: 120_000,
            describe: 'every request of the former phase to be answered',
          });
          const began = performance.now();
          print(`${phase.name}…`);
          await phase.act(cluster, print);
          await delay(run.restSeconds * 1000);
          print(`${phase.name}: ${seconds(began)} s`);
        }
      },
    });
    // Half of the requests due after the disruption: a busy machine sends fewer.
    const requestsMin = (run.requestsPerSecond * run.restSeconds) / 2;
    const findings = [
      ...result.findings,
      ...run.phases.map((phase) => judgePhase(phase, client.phases, requestsMin)),
    ];
    if (findings.some(({ violations }) => violations.length > 0)) print(cluster.lastLines());
    return { ...result, findings, phases: client.phases };
  } finally {
    rest.close();
    await cluster.discard();
  }
}

/** The phases as a table. */
export function reportPhases(phases: readonly PhaseFigures[]): string {
  const rows = phases
    .filter(({ requests }) => requests > 0)
    .map(({ name, requests, failures, recovered, givenUp, slowestMs, slowest }) => [
      name,
      String(requests),
      [...failures].map(([what, times]) => `${times} × ${what}`).join(', ') || '0',
      String(recovered),
      String(givenUp.length),
      `${slowestMs.toFixed(0)} ms (${slowest})`,
    ]);
  const table = [['phase', 'requests', 'failed attempts', 'recovered', 'lost', 'slowest'], ...rows];
  const widths = table[0]!.map((_, at) => Math.max(...table.map((row) => row[at]!.length)));
  return table
    .map((row) => `  ${row.map((cell, at) => cell.padEnd(widths[at]!)).join('  ')}`.trimEnd())
    .join('\n');
}

const seconds = (since: number): string => ((performance.now() - since) / 1000).toFixed(1);
