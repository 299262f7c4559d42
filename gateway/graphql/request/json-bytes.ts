/**
 * Size of a value as JSON, without escapes. Takes time proportional to the number of distinct objects, however often the value
 * contains them.
 *
 * @param max counting stops there: a larger size is not exact
 */
export function jsonBytes(value: unknown, max: number): number {
  const sizes = new Map<object, number>();
  const sizeOf = (one: unknown): number => {
    if (typeof one === 'string') return Buffer.byteLength(one) + 2;
    if (typeof one !== 'object' || one === null) return String(one).length;
    const known = sizes.get(one);
    if (known !== undefined) return known;
    let bytes = 2;
    if (Array.isArray(one)) {
      for (const entry of one) if (bytes <= max) bytes += sizeOf(entry) + 1;
    } else {
      for (const name in one) {
        if (bytes > max) break;
        bytes += Buffer.byteLength(name) + 4 + sizeOf((one as Record<string, unknown>)[name]);
      }
    }
    sizes.set(one, bytes);
    return bytes;
  };
  return sizeOf(value);
}
