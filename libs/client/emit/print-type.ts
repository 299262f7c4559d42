import type { z } from 'zod';

type Schema = z.core.JSONSchema.BaseSchema;

/**
 * The TypeScript type of a JSON Schema, as its contract writes it. Named schemas (`$defs`) are references to types of that name.
 *
 * @param io optional fields of an input may be `undefined`
 * @throws Error for a schema of a form that no contract has
 */
export function printType(schema: Schema, io: 'input' | 'output'): string {
  if (schema.$ref !== undefined) return schema.$ref.slice(schema.$ref.lastIndexOf('/') + 1);
  if (schema.const !== undefined) return literal(schema.const);
  if (schema.enum) return schema.enum.map(literal).join(' | ');
  const choices = schema.oneOf ?? schema.anyOf;
  if (choices) return printUnion(choices.map((choice) => printType(choice, io)));
  const { type, pattern } = schema;
  if (pattern !== undefined && prefixed.test(pattern)) return printPrefixed(pattern);
  if (Array.isArray(type))
    return printUnion(type.map((one) => printType({ ...schema, type: one }, io)));
  if (type === 'array') return `${parenthesized(printType(schema.items as Schema, io))}[]`;
  if (type === 'object') return printObject(schema, io);
  if (type === undefined && isUnconstrained(schema)) return 'unknown';
  const printed = plain[type!];
  if (printed === undefined) throw new Error(`no type for ${JSON.stringify(schema)}`);
  return printed;
}

/** A text that begins with one of several, as zod writes the pattern of a template. */
const prefixed = /^\^\(([\w:|-]+:)\)/;

const printPrefixed = (pattern: string): string =>
  prefixed
    .exec(pattern)![1]!
    .split('|')
    .map((prefix) => `\`${prefix}\${string}\``)
    .join(' | ');

/** The fields of an object, between braces, with their descriptions. */
export function printObject(schema: Schema, io: 'input' | 'output'): string {
  const fields = Object.entries((schema.properties ?? {}) as Record<string, Schema>);
  const others = schema.additionalProperties;
  if (fields.length === 0 && typeof others === 'object')
    return `Record<string, ${printType(others, io)}>`;
  const lines = fields.flatMap(([name, field]) => {
    const isRequired = schema.required?.includes(name) === true;
    const type = printType(field, io);
    const printed = isRequired || io === 'output' ? type : `${type} | undefined`;
    return [...comment(describe(field)), `${name}${isRequired ? '' : '?'}: ${printed};`];
  });
  return ['{', ...indent(lines), '}'].join('\n');
}

/** A comment of documentation, without lines if there is nothing to say. */
export function comment(text: string): string[] {
  if (text === '') return [];
  if (text.length <= widthMax) return [`/** ${text} */`];
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last === undefined || last.length + word.length >= widthMax) lines.push(word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return ['/**', ...lines.map((line) => ` * ${line}`), ' */'];
}

export const indent = (lines: readonly string[]): string[] =>
  lines.flatMap((line) => line.split('\n')).map((line) => (line === '' ? '' : `  ${line}`));

const widthMax = 90;

const plain: Record<string, string> = {
  string: 'string',
  integer: 'number',
  number: 'number',
  boolean: 'boolean',
  null: 'null',
};

export const literal = (value: unknown): string =>
  typeof value === 'string' ? `'${JSON.stringify(value).slice(1, -1)}'` : JSON.stringify(value);

/** A union with `string` keeps its other members for editors to propose. */
const printUnion = (types: readonly string[]): string =>
  types
    .map((type) => (type === 'string' && types.some((one) => isName(one)) ? '(string & {})' : type))
    .join(' | ');

const isName = (type: string): boolean => /^[A-Z'"]/.test(type);

const parenthesized = (type: string): string => (type.includes(' | ') ? `(${type})` : type);

const isUnconstrained = (schema: Schema): boolean =>
  Object.keys(schema).every((key) => key === 'description');

function describe({ description = '', default: fallback }: Schema): string {
  if (fallback === undefined) return description;
  return `${description} Defaults to \`${JSON.stringify(fallback)}\`.`.trimStart();
}
