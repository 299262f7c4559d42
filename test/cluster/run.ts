/**
 * `npm run test:cluster [-- part … --seconds 5 --seed N --rate 60]`: two instances of every process under load, killed in turn and
 * restarted, with servers and secrets that are replaced.
 */
import { randomInt } from 'node:crypto';
import { formerRelease } from '@roster/testing';
import { partsOfProcess } from '../command-line/read-options.js';
import { patientEnv } from '../faults/patient-env.js';
import { hasFailed, report } from '../faults/report.js';
import { buildFormer } from '../former/build-former.js';
import { reportPhases, runCluster, type Phase } from './cluster-run.js';
import {
  killEachProcess,
  killPrimary,
  killStreamLeader,
  loseNode,
  rollingRestart,
  runBeside,
  switchOver,
  undisturbed,
} from './phases.js';
import { rotations } from './rotations.js';

/** In their order. Each can be named alone. */
const parts: Record<string, () => Promise<Phase[]>> = {
  undisturbed: async () => [undisturbed],
  ...Object.fromEntries(
    Object.entries(rotations).map(([name, phase]) => [name, async () => [phase]]),
  ),
  'stream-leader': async () => [killStreamLeader],
  processes: async () => [killEachProcess],
  primary: async () => [killPrimary],
  node: async () => [loseNode],
  restart: async () => [rollingRestart],
  'former-release': async () => {
    print(`Building the former release, ${formerRelease.version}.`);
    return runBeside(await buildFormer(formerRelease));
  },
  switchover: async () => [switchOver],
};

const { seconds, seed, rate, names } = partsOfProcess(Object.keys(parts), {
  /** How long the load continues after each fault. */
  seconds: 5,
  seed: randomInt(1, 2 ** 31),
  rate: 60,
});

process.exitCode = 0;
// A cluster has one standby to promote.
const isApart = (name: string): boolean => name === 'switchover';
for (const group of [names.filter((name) => !isApart(name)), names.filter(isApart)])
  if (group.length > 0) await run(group);
// The IPC channel to the parent would keep this process alive.
if (process.connected) process.disconnect();

async function run(group: readonly string[]): Promise<void> {
  const phases: Phase[] = [];
  for (const name of group) phases.push(...(await parts[name]!()));
  print(`Seed ${seed}: two of everything.`);
  const result = await runCluster({
    seed,
    phases,
    requestsPerSecond: rate,
    restSeconds: seconds,
    settleSeconds: 240,
    env: patientEnv,
    print,
  });
  print(reportPhases(result.phases));
  print(report(result));
  if (hasFailed(result)) process.exitCode = 1;
}

function print(line: string): void {
  console.log(line);
}
