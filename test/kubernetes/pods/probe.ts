/**
 * Input of `node - <JSON of targets>` in any pod: prints which of the targets accept a connection. Imports only
 * modules of Node, because no other files are available.
 */
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

interface Probed {
  name: string;
  host: string;
  port: number;
  open: boolean;
}

const attemptMs = 1500;
/** Policies are applied to a new pod within seconds: unexpected results are probed again for this time. */
const patienceMs = 15_000;
/** A single attempt may also fail on a busy machine. */
const closedInARow = 3;

const targets = JSON.parse(process.argv[2] ?? '[]') as Probed[];
const deadline = performance.now() + patienceMs;
const found = await Promise.all(
  targets.map(async ({ name, host, port, open: expected }) => {
    const needed = expected ? 1 : closedInARow;
    for (let asExpected = 0; ; await delay(500)) {
      asExpected = (await accepts(host, port)) === expected ? asExpected + 1 : 0;
      if (asExpected === needed) return { name, host, port, open: expected };
      if (asExpected === 0 && performance.now() > deadline)
        return { name, host, port, open: !expected };
    }
  }),
);
process.stdout.write(JSON.stringify(found));

function accepts(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port });
    const settle = (open: boolean) => {
      clearTimeout(timer);
      socket.destroy();
      resolve(open);
    };
    const timer = setTimeout(() => settle(false), attemptMs);
    socket.once('connect', () => settle(true)).once('error', () => settle(false));
  });
}
