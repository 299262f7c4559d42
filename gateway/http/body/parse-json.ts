import { Fault } from '@roster/contracts';
import { isUtf8 } from 'node:buffer';
import { checkJsonSize, jsonLimits } from './check-json-size.js';

/**
 * Parses a request body. The last of duplicate keys takes effect.
 *
 * @throws Fault `invalid_json`, `payload_too_large`
 */
export function parseJson(body: Buffer, valuesMax = jsonLimits.ordinary.valuesMax): unknown {
  if (!isUtf8(body)) throw new Fault('invalid_json', 'The body is not valid UTF-8.');
  checkJsonSize(body, valuesMax);
  try {
    return JSON.parse(body.toString('utf8'));
  } catch (error) {
    // V8's message quotes the body.
    const at = /at position (\d+)/.exec((error as Error).message)?.[1];
    throw new Fault(
      'invalid_json',
      `The body is not valid JSON${at === undefined ? '' : ` (at character ${at})`}.`,
    );
  }
}
