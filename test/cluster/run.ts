/** `npm run test:cluster [-- --seconds 5 --seed N --rate 60]`: two instances of every process under load, killed in turn and restarted. */
import { randomInt } from 'node:crypto';
import { formerRelease } from '@roster/testing';
import { optionsOfProcess } from '../command-line/read-options.js';
import { patientEnv } from '../faults/patient-env.js';
import { hasFailed, report } from '../faults/report.js';
import { buildFormer } from '../former/build-former.js';
import { reportPhases, runCluster } from './cluster-run.js';
import {
  killEachProcess,
  killPrimary,
  killStreamLeader,
  loseNode,
  rollingRestart,
  runBeside,
  undisturbed,
} from './phases.js';

const { seconds, seed, rate } = optionsOfProcess({
  /** How long the load continues after each fault. */
  seconds: 5,
  seed: randomInt(1, 2 ** 31),
  rate: 60,
});
const print = (line: string) => console.log(line);

print(`Building the former release, ${formerRelease.version}.`);
const former = await buildFormer(formerRelease);
print(`Seed ${seed}: two of everything.`);
const result = await runCluster({
  seed,
  phases: [
    undisturbed,
    killStreamLeader,
    killEachProcess,
    killPrimary,
    loseNode,
    rollingRestart,
    ...runBeside(former),
  ],
  requestsPerSecond: rate,
  restSeconds: seconds,
  settleSeconds: 240,
  env: patientEnv,
  print,
});
print(reportPhases(result.phases));
print(report(result));
process.exitCode = hasFailed(result) ? 1 : 0;
// The IPC channel to the parent would keep this process alive.
if (process.connected) process.disconnect();
