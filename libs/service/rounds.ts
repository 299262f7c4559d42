import { spareNeighbours, type Answer, type Call } from '@roster/bus';
import type { InputOf, Operation, OutputOf } from '@roster/contracts';

/**
 * Runs a batch so that no statement meets the same row twice: calls for one row are applied in order, a round each.
 * Most batches are one round.
 */
export async function inRounds<O extends Operation>(
  calls: Call<InputOf<O>>[],
  rowOf: (call: Call<InputOf<O>>) => string,
  handle: (calls: Call<InputOf<O>>[]) => Promise<Answer<OutputOf<O>>[]>,
): Promise<Answer<OutputOf<O>>[]> {
  const answers: Answer<OutputOf<O>>[] = Array.from({ length: calls.length });
  for (const round of roundsOf(calls, rowOf)) {
    // Earlier rounds have happened: an error here must not reach the whole batch.
    const given = await spareNeighbours<O>(
      round.map((index) => calls[index]!),
      handle,
    );
    for (const [at, index] of round.entries()) answers[index] = given[at]!;
  }
  return answers;
}

/** Indexes of the calls, round by round. */
function roundsOf<C>(calls: readonly C[], rowOf: (call: C) => string): number[][] {
  const seen = new Map<string, number>();
  const rounds: number[][] = [];
  for (const [index, call] of calls.entries()) {
    const row = rowOf(call);
    const round = seen.get(row) ?? 0;
    seen.set(row, round + 1);
    (rounds[round] ??= []).push(index);
  }
  return rounds;
}
