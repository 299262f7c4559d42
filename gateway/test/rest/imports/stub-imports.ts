import type { ImportRow } from '@roster/contracts';
import type { StubServices } from '../../stub-services.js';

export interface Appended {
  importId: string;
  ordinal: number;
  rows: ImportRow[];
}

/** The inputs of calls of an operation, in their order. */
const inputsOf = <Input>({ calls }: StubServices, operation: string): Input[] =>
  calls(operation).map(({ input }) => input as Input);

export const appended = (stubs: StubServices): Appended[] =>
  inputsOf<Appended>(stubs, 'imports.append');

export const appendedRows = (stubs: StubServices): ImportRow[] =>
  appended(stubs).flatMap(({ rows }) => rows);

export const finished = (stubs: StubServices) =>
  inputsOf<{ chunks: number; total: number; failure?: string }>(stubs, 'imports.finish');

/** A CSV file with this number of contacts, in parts. */
export async function* csvFile(
  rows: number,
  note = '',
  onPart: () => unknown = () => {},
): AsyncGenerator<Uint8Array> {
  yield Buffer.from('email,note\n');
  for (let from = 0; from < rows; from += 100) {
    await onPart();
    const count = Math.min(100, rows - from);
    const lines = Array.from({ length: count }, (_, n) => `c${from + n}@example.com,${note}\n`);
    yield Buffer.from(lines.join(''));
  }
}
