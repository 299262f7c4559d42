import { escaped, escapedWithCode } from '../html.js';
import { type OpenApi, resolved, type Schema } from './openapi.js';

/** The fields of an object as HTML, with those of objects within it. */
export function fieldsOf(openapi: OpenApi, of: Schema): string {
  const { properties = {}, required = [] } = resolved(openapi, of);
  const entries = Object.entries(properties as Record<string, Schema>);
  return listOf(
    entries.map(([name, schema]) => fieldOf(openapi, name, schema, required.includes(name))),
  );
}

const listOf = (entries: string[]): string => `<dl class="fields">${entries.join('')}</dl>`;

export function fieldOf(
  openapi: OpenApi,
  name: string,
  schema: Schema,
  isRequired: boolean,
): string {
  const of = resolved(openapi, schema);
  const description = schema.description ?? of.description;
  const limits = limitsOf(of);
  return (
    `<dt><code>${escaped(name)}</code> <span>${escaped(typeOf(openapi, schema))}</span>` +
    `${isRequired ? ' <b>required</b>' : ''}</dt><dd>` +
    (description === undefined ? '' : `<p>${escapedWithCode(description)}</p>`) +
    (limits.length > 0 ? `<p class="limits">${limits.join('; ')}</p>` : '') +
    innerFields(openapi, of) +
    '</dd>'
  );
}

function innerFields(openapi: OpenApi, schema: Schema): string {
  const inner = innermost(openapi, schema);
  if (inner.oneOf)
    return inner.oneOf
      .map((variant) => resolved(openapi, variant))
      .map((variant) => folded(nameOf(variant), fieldsOf(openapi, variant)))
      .join('');
  const count = Object.keys(inner.properties ?? {}).length;
  return count === 0
    ? ''
    : folded(`${count} ${count === 1 ? 'field' : 'fields'}`, fieldsOf(openapi, inner));
}

const folded = (title: string, content: string): string =>
  `<details><summary>${escaped(title)}</summary>${content}</details>`;

/** What tells a variant from others: its only constant. */
const nameOf = ({ properties = {} }: Schema): string =>
  Object.entries(properties as Record<string, Schema>)
    .filter(([, one]) => one.const !== undefined)
    .map(([name, one]) => `${name}: ${String(one.const)}`)
    .join(', ') || 'variant';

/** The object in lists, and in values that can be null. */
function innermost(openapi: OpenApi, schema: Schema): Schema {
  const of = resolved(openapi, schema);
  if (of.items) return innermost(openapi, of.items as Schema);
  const [first] = othersThanNull(of);
  return first ? innermost(openapi, first) : of;
}

const othersThanNull = ({ anyOf = [] }: Schema): Schema[] =>
  anyOf.filter(({ type }) => type !== 'null');

/** `string`, `array of objects or null`. */
function typeOf(openapi: OpenApi, schema: Schema): string {
  const of = resolved(openapi, schema);
  if (of.const !== undefined) return JSON.stringify(of.const);
  if (of.anyOf) {
    const types = [...new Set(of.anyOf.map((one) => typeOf(openapi, one)))];
    return types.join(' or ');
  }
  if (of.type === 'array') return `array of ${typeOf(openapi, of.items as Schema)}s`;
  const type = [of.type ?? 'any value'].flat().join(' or ');
  if (of.format === undefined || of.format === 'binary') return type;
  return `${type} (${formats[of.format] ?? of.format})`;
}

const formats: Record<string, string> = {
  'idn-email': 'email address',
  'date-time': 'time',
  uri: 'URL',
};

/** Bounds, values and the default, as HTML. */
function limitsOf(schema: Schema): string[] {
  const { minimum, maximum, minLength, maxLength, minItems, maxItems, maxProperties } = schema;
  const values = schema.enum ?? (schema.items as Schema | undefined)?.enum;
  const code = (value: unknown) => `<code>${escaped(String(value))}</code>`;
  return [
    values && `one of ${values.map(code).join(', ')}`,
    rangeOf('', minimum, maximum),
    rangeOf(' characters', minLength, schema.format === 'date-time' ? undefined : maxLength),
    rangeOf(' entries', minItems, maxItems),
    rangeOf(' members', undefined, maxProperties),
    isReadable(schema.pattern) && `matches ${code(schema.pattern)}`,
    schema.default !== undefined && `default ${code(JSON.stringify(schema.default))}`,
  ].filter((limit) => limit !== undefined && limit !== false);
}

function rangeOf(unit: string, least?: number, most?: number): string | undefined {
  const [from, to] = [least, most].map((bound) => bound?.toLocaleString('en'));
  if (from !== undefined && to !== undefined) return `${from} to ${to}${unit}`;
  if (to !== undefined) return `at most ${to}${unit}`;
  return from === undefined ? undefined : `at least ${from}${unit}`;
}

const isReadable = (pattern: string | undefined): boolean =>
  pattern !== undefined && pattern.length < 60;
