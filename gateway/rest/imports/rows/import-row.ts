import type { ImportRow } from '@roster/contracts';

type Problem = Extract<ImportRow, { problem: unknown }>['problem'];

/** A row that is not imported, and why. The others are. */
export const wrongRow = (
  row: number,
  code: Problem['code'],
  message: string,
  pointer = '',
): ImportRow => ({ row, problem: { code, pointer, message } });
