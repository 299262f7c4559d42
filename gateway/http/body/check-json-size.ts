import { Fault } from '@roster/contracts';
import { levelsMax } from '../../operations/check-input.js';

export interface JsonLimits {
  bytesMax: number;
  /** Members of objects and elements of arrays count, names do not. */
  valuesMax: number;
}

/** Limits of JSON bodies. */
export const jsonLimits = {
  /** A contact of 10,000 bytes fits, even if all of its characters are escaped. */
  ordinary: { bytesMax: 64 * 1024, valuesMax: 5_000 },
  /** A body with many operations has 1 KiB and 20 values for each of 1,000. A gateway is occupied with it for less than 20 ms. */
  bulk: { bytesMax: 1024 * 1024, valuesMax: 20_000 },
} satisfies Record<string, JsonLimits>;

/**
 * Counts the values and levels of JSON text before it is parsed, in one pass that ends at the first excess. Text that is not JSON has
 * arbitrary counts: it is refused either way.
 *
 * @param body UTF-8
 * @throws Fault `payload_too_large` for the values, `invalid_json` for the levels
 */
export function checkJsonSize(body: Uint8Array, valuesMax: number): void {
  let values = 1;
  let level = 0;
  let isEmpty = false;
  for (let at = 0; at < body.length; at += 1) {
    const byte = body[at]!;
    if (byte <= space) continue;
    // Brackets and braces differ by this bit.
    const kind = byte | 0x20;
    // A container adds a value for what follows its bracket, unless it is empty.
    if (isEmpty) {
      isEmpty = false;
      if (kind !== closing) values += 1;
    }
    if (byte === quote) {
      at += 1;
      while (at < body.length && body[at] !== quote) at += body[at] === backslash ? 2 : 1;
    } else if (byte === comma) values += 1;
    else if (kind === opening) {
      isEmpty = true;
      level += 1;
      if (level > levelsMax)
        throw new Fault('invalid_json', `The body is nested more than ${levelsMax} levels deep.`);
    } else if (kind === closing) level -= 1;
    if (values > valuesMax)
      throw new Fault('payload_too_large', `The body has more than ${valuesMax} JSON values.`);
  }
}

const [space, quote, comma, backslash, opening, closing] = Buffer.from(
  ' ",\\{}',
) as Iterable<number> as [number, number, number, number, number, number];
