import type { ExecutionResult, FormattedExecutionResult } from 'graphql';
import type { NextSlice } from '../../operations/work-turns.js';
import type { RequestBudget } from './request-budget.js';

/** Size of the fields that are measured and serialized in one turn of the event loop: less than a millisecond. */
const sliceBytes = 32 * 1024;

/** Data of large responses as JSON, until Apollo requests the whole response. */
const textOf = new WeakMap<object, string>();

/**
 * Measures a large response, and serializes its data, in slices of its fields.
 *
 * @returns false if the response is too large
 */
export async function serializeInTurns(
  { data }: Pick<ExecutionResult, 'data'>,
  budget: RequestBudget,
  nextSlice: NextSlice,
): Promise<boolean> {
  if (!data) return true;
  const fields: string[] = [];
  let left = 0;
  for (const [name, value] of Object.entries(data)) {
    if (left <= 0) {
      await nextSlice();
      left = sliceBytes;
    }
    if (!budget.admits({ data: { [name]: value } })) return false;
    const field = `${JSON.stringify(name)}:${JSON.stringify(value)}`;
    left -= field.length;
    fields.push(field);
  }
  textOf.set(data, `{${fields.join(',')}}`);
  return true;
}

/** The response as JSON. Data that were serialized in slices are not serialized again. */
export function serializeResponse(result: FormattedExecutionResult): string {
  const text = result.data && textOf.get(result.data);
  if (text === undefined || text === null) return `${JSON.stringify(result)}\n`;
  const parts = Object.entries(result)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `"${name}":${name === 'data' ? text : JSON.stringify(value)}`);
  return `{${parts.join(',')}}\n`;
}
