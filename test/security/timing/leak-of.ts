import { randomBytes } from 'node:crypto';
import type { Comparison } from './comparisons.js';
import { welchT } from './welch-t.js';

/** One sample is the time of a block: short enough that few are interrupted, and long against the resolution of the clock. */
const blocks = 20_000;
const comparisonsPerBlock = 100;
/** The first blocks run before the code is compiled. */
const warmUpBlocks = 2000;
/** Shares of the fastest blocks, which are compared: the slower ones were interrupted, and how many depends on the machine. */
const shares = [0.05, 0.1, 0.25, 0.5, 0.75, 0.9];

/**
 * Measures whether the time of a comparison depends on where the digests differ, in the manner of dudect (Reparaz, Balasch and
 * Verbauwhede, 2017): blocks with a difference in the first byte and in the last byte, in random order, so that whatever else the
 * machine does meets both alike.
 *
 * @returns Welch's t of both kinds, for the share of blocks for which it is greatest: -5 to 5 if there is no dependence
 */
export function leakOf<Form>({ formOf, isSame }: Comparison<Form>): number {
  const digest = randomBytes(32);
  const guesses = [0, digest.length - 1].map((at) => {
    const guess = Buffer.from(digest);
    guess[at]! ^= 1;
    return guess;
  });
  const kinds = randomBytes(blocks).map((byte) => byte & 1);
  const times = new Float64Array(blocks);
  // One buffer for both, so that neither is at a better address.
  const guess = Buffer.alloc(digest.length);
  let same = 0;
  for (let block = 0; block < blocks; block += 1) {
    guesses[kinds[block]!]!.copy(guess);
    const [one, other] = [formOf(digest), formOf(guess)];
    const start = performance.now();
    for (let count = 0; count < comparisonsPerBlock; count += 1) if (isSame(one, other)) same += 1;
    times[block] = performance.now() - start;
  }
  if (same > 0) throw new Error('digests that differ were found equal');
  const sorted = times.slice(warmUpBlocks).toSorted();
  const found = shares.map((share) => {
    const longest = sorted[Math.ceil(sorted.length * share) - 1]!;
    const samples: [number[], number[]] = [[], []];
    for (let block = warmUpBlocks; block < blocks; block += 1)
      if (times[block]! <= longest) samples[kinds[block]! as 0 | 1].push(times[block]!);
    return welchT(...samples);
  });
  return found.toSorted((one, other) => Math.abs(other) - Math.abs(one))[0]!;
}
