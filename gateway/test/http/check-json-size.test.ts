import { Fault } from '@roster/contracts';
import test from 'ava';
import fc from 'fast-check';
import { checkJsonSize } from '../../http/body/check-json-size.js';

/** Objects and arrays with this one around it. */
const levelsOf = (value: unknown): number =>
  typeof value === 'object' && value !== null
    ? 1 + Math.max(0, ...Object.values(value).map(levelsOf))
    : 0;

const valuesOf = (value: unknown): number =>
  typeof value === 'object' && value !== null
    ? Object.values(value).reduce((sum: number, inner) => sum + valuesOf(inner), 1)
    : 1;

function codeOf(text: string, valuesMax: number): string | undefined {
  try {
    checkJsonSize(Buffer.from(text), valuesMax);
    return undefined;
  } catch (error) {
    return (error as Fault).code;
  }
}

test('counts the values of JSON text exactly, whatever its strings and white space', (t) => {
  const json = fc.json({
    maxDepth: 6,
    stringUnit: fc.constantFrom('\\', '"', ',', '[', '}', 'é', 'a'),
  });
  fc.assert(
    fc.property(json, fc.constantFrom('', ' ', '\n\t'), (text, indent) => {
      const value: unknown = JSON.parse(text);
      const spaced = JSON.stringify(value, undefined, indent);
      const values = valuesOf(value);
      t.is(codeOf(spaced, values), undefined);
      t.is(codeOf(spaced, values - 1), 'payload_too_large');
    }),
  );
  t.is(codeOf('[ ]', 1), undefined);
  t.is(codeOf('{"a":[\n],"b":{ }}', 3), undefined);
});

test('accepts 16 levels of objects and arrays, and refuses 17', (t) => {
  for (const [open, close] of [
    ['[', ']'],
    ['{"a":[', ']}'],
  ] as const)
    for (const levels of [8, 16]) {
      const times = levels / (open.length > 1 ? 2 : 1);
      const text = open.repeat(times) + close.repeat(times);
      t.is(levelsOf(JSON.parse(text)), levels);
      t.is(codeOf(text, 100), undefined);
      t.is(codeOf(`[${text}]`, 100), levels === 16 ? 'invalid_json' : undefined);
    }
  // Levels side by side do not add up.
  t.is(codeOf(`[${'[[]],'.repeat(50)}[]]`, 200), undefined);
});

test('ends at the first value or level too many, of which the rest is not read', (t) => {
  const reads = (text: string): number => {
    let read = 0;
    const body = new Proxy(Buffer.from(text), {
      get(bytes, property) {
        if (property === 'length') return bytes.length;
        read += 1;
        return bytes[Number(property)];
      },
    });
    t.throws(() => checkJsonSize(body, 100), { instanceOf: Fault });
    return read;
  };
  const many = 'x,'.repeat(500_000);
  t.true(reads(`[${many}`) < 2_000);
  t.true(reads('['.repeat(1_000_000)) < 200);
});

test('text that is not JSON is either refused or left to the parser', (t) => {
  for (const text of ['', '"', '"\\', '"\\"', ']]]]', '}', '\\', '{"a', ' ', '\0'])
    t.is(codeOf(text, 10), undefined, JSON.stringify(text));
});
