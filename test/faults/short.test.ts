import { randomInt } from 'node:crypto';
import test from 'ava';
import { parts, type Part } from './parts.js';
import { shortOrLong } from '@roster/testing';
import { report } from './report.js';

const seed = Number(process.env.FAULT_SEED ?? randomInt(2 ** 31));
const seconds: Record<keyof typeof parts, number> = {
  processes: shortOrLong(6, 12),
  links: shortOrLong(5, 8),
  sessions: shortOrLong(5, 8),
  disks: shortOrLong(5, 8),
  clocks: shortOrLong(6, 12),
  storage: 6,
  retention: shortOrLong(5, 8),
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
      changesPerSecond: shortOrLong(25, 60),
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
