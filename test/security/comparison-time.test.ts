import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import test from 'ava';
import { comparisons, type ComparisonName } from './timing/comparisons.js';

/** The threshold of Welch's t is beyond chance, and below what every comparison that leaks was measured with. */
const threshold = 7;

test('the time of comparing digests of keys does not show where they differ', async (t) => {
  const leak = await leakOf('isSameDigest');
  t.true(leak < threshold, `t = ${leak}`);
});

for (const name of Object.keys(comparisons) as ComparisonName[])
  if (name !== 'isSameDigest')
    test(`the same statistics find the leak of ${name}`, async (t) => {
      const leak = await leakOf(name);
      t.true(leak > threshold, `t = ${leak}`);
    });

const script = fileURLToPath(new URL('timing/measure-process.js', import.meta.url));

/** The median of three measurements: one of them may have been disturbed. */
async function leakOf(name: ComparisonName): Promise<number> {
  const measured: number[] = [];
  while (measured.length < 3) {
    const { stdout } = await promisify(execFile)(process.execPath, [script, name]);
    measured.push(Math.abs(Number(stdout)));
  }
  return measured.toSorted((one, other) => one - other)[1]!;
}
