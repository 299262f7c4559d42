import type { ImportRow } from '@roster/contracts';

type Problem = Extract<ImportRow, { problem: unknown }>['problem'];

/** Of texts in a problem. Longer ones would refuse the other rows of the chunk, too. */
const charactersMax = 1000;

/** A row that is not imported, and why. The others are. */
export const wrongRow = (
  row: number,
  code: Problem['code'],
  message: string,
  pointer = '',
): ImportRow => ({
  row,
  problem: {
    code,
    pointer: pointer.slice(0, charactersMax),
    message: message.slice(0, charactersMax),
  },
});
