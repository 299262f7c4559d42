const rowsPerPart = 1000;

/** A file of different contacts, in parts. Their addresses are in random order, as in production. */
export async function* csvFile(rows: number): AsyncGenerator<Uint8Array> {
  yield Buffer.from('email,name,tags,city,plan\n');
  for (let from = 0; from < rows; from += rowsPerPart) {
    const lines = Array.from({ length: Math.min(rowsPerPart, rows - from) }, (_, at) =>
      lineOf(from + at),
    );
    yield Buffer.from(lines.join(''));
  }
}

const lineOf = (n: number): string =>
  `${(Math.imul(n + 1, 2_654_435_761) >>> 0).toString(36)}.${n}@example.org,New Contact ${n},customer;newsletter,London,professional\n`;
