const mark = Buffer.from([0xef, 0xbb, 0xbf]);

/** The bytes of a text in UTF-8 without the byte order mark that may precede it. */
export async function* withoutMark(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let start: Uint8Array | undefined = Buffer.alloc(0);
  for await (const part of bytes) {
    if (start === undefined) {
      yield part;
      continue;
    }
    start = Buffer.concat([start, part]);
    if (start.length < mark.length) continue;
    const hasMark = mark.equals(start.subarray(0, mark.length));
    yield hasMark ? start.subarray(mark.length) : start;
    start = undefined;
  }
  if (start && start.length > 0) yield start;
}
