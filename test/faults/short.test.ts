import { randomInt } from 'node:crypto';
import test from 'ava';
import { parts, type Part } from './parts.js';
import { report } from './report.js';

const seed = Number(process.env.FAULT_SEED ?? randomInt(2 ** 31));
const seconds: Record<keyof typeof parts, number> = {
  processes: 12,
  links: 8,
  sessions: 8,
  disks: 8,
  clocks: 12,
  storage: 6,
  retention: 8,
};

for (const [name, part] of Object.entries<Part>(parts))
  test.serial(`no event is lost while ${part.title}`, async (t) => {
    t.timeout(150_000);
    t.log(`FAULT_SEED=${seed}`);
    const why = await part.whyNot?.();
    if (why !== undefined) {
      t.log(`not run: ${why}`);
      t.pass();
      return;
    }
    const result = await part.run({
      t,
      seed,
      seconds: seconds[name as keyof typeof parts],
      changesPerSecond: 60,
      env: {
        RETRY_SCHEDULE_SECONDS: '0.2,0.2,0.5,0.5,1,1,1,2,2',
        ATTEMPT_TIMEOUT_MS: '700',
        LEASE_SECONDS: '2',
        CIRCUIT_OPEN_SECONDS: '0.5',
        CIRCUIT_OPEN_SECONDS_MAX: '2',
      },
      settleSeconds: 60,
      gapSeconds: [0.3, 1.5],
      lastSeconds: [0.5, 3],
      print: (line) => t.log(line),
    });
    t.log(report(result));
    for (const { promise, violations } of result.findings) t.deepEqual(violations, [], promise);
  });
