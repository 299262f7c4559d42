import type { Call } from '@roster/bus';
import type { InputOf, Operation } from '@roster/contracts';
import type { SessionHandler } from './session-handler.js';

/** How the calls of a batch are divided into statements. */
export interface Rounds<Input> {
  /** Key of the row that a call concerns. */
  rowOf(call: Call<Input>): string;
  /** Calls that must not share a statement with any other call. */
  isAlone?(call: Call<Input>): boolean;
}

/**
 * Divides batches into rounds so that no statement contains the same row twice: calls for one row are applied in order, one
 * per round. Most batches have one round.
 */
export function inRounds<O extends Operation>(
  { rowOf, isAlone = () => false }: Rounds<InputOf<O>>,
  handle: SessionHandler<O>,
): SessionHandler<O> {
  const partsOf = (calls: readonly Call<InputOf<O>>[]): number[][] =>
    roundsOf(calls, rowOf).flatMap((round) => {
      const alone = round.filter((index) => isAlone(calls[index]!));
      if (alone.length === 0) return [round];
      const together = round.filter((index) => !alone.includes(index));
      return [together, ...alone.map((index) => [index])].filter((part) => part.length > 0);
    });
  return Object.assign(handle, { partsOf });
}

/** Indexes of the calls of each round. */
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
