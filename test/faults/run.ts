/** `npm run test:faults [-- --minutes 8 --seed N --rate 200]`: the whole system under load, with faults at random. */
import { randomInt } from 'node:crypto';
import { optionsOfProcess } from '../command-line/read-options.js';
import { parts, type Part } from './parts.js';
import { patientEnv } from './patient-env.js';
import { hasFailed, report } from './report.js';

const { minutes, seed, rate } = optionsOfProcess({
  minutes: 8,
  seed: randomInt(1, 2 ** 31),
  rate: 200,
});
/** Shares of the time. */
const shares: Record<keyof typeof parts, number> = {
  processes: 3,
  links: 2,
  sessions: 2,
  disks: 1,
  clocks: 2,
  storage: 1,
  retention: 1,
};
const total = Object.values(shares).reduce((sum, share) => sum + share, 0);
const print = (line: string) => console.log(line);

const verdicts: string[] = [];
print(`Seed ${seed}, ${minutes} minutes of faults, ${rate} changes per second.`);
for (const [name, part] of Object.entries<Part>(parts)) {
  print(`\n${name}: ${part.title}`);
  verdicts.push(`${name.padEnd(10)} ${await verdictOn(part, shares[name as keyof typeof parts])}`);
}
print(`\nSeed ${seed}:\n${verdicts.join('\n')}`);
// The IPC channel to the parent would keep this process alive.
if (process.connected) process.disconnect();

async function verdictOn(part: Part, share: number): Promise<string> {
  const why = await part.whyNot?.();
  if (why !== undefined) return `not run: ${why}`;
  try {
    const result = await part.run({
      seed,
      seconds: (minutes * 60 * share) / total,
      changesPerSecond: rate,
      env: patientEnv,
      settleSeconds: 240,
      gapSeconds: [1, 4],
      lastSeconds: [1, 20],
      ...(part.repeatedMax !== undefined && { repeatedMax: part.repeatedMax }),
      print,
    });
    print(report(result));
    if (!hasFailed(result)) return 'passed';
  } catch (error) {
    // The other parts run nevertheless, each on a new system.
    print((error as Error).stack ?? String(error));
  }
  process.exitCode = 1;
  return 'failed';
}
