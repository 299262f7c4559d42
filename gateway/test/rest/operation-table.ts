import { scopesOf } from '@roster/contracts';
import { z } from 'zod';
import {
  fieldsOf,
  methodsOf,
  restOperations,
  type RestOperation,
} from '../../rest/rest-operations.js';

const head = ['Request', 'Scope', 'Input', 'Response', 'Specific errors'];

/** The operation table of the reference, with a row for each operation of REST. */
export const operationTable = (): string =>
  [head, head.map(() => '---'), ...restOperations.map(rowOf)]
    .map((cells) => `|${cells.map((cell) => (cell === '' ? ' ' : ` ${cell} `)).join('|')}|\n`)
    .join('')
    .replace(/\| --- (?=\|)/g, '|---');

function rowOf(operation: RestOperation): string[] {
  const { http, faults } = operation;
  return [
    code(`${methodsOf(operation).join(', ')} ${http.path}`),
    scopesOf(operation).join(', ') || operation.scope,
    inputCell(operation),
    responseCell(operation),
    faults.map(code).join(', '),
  ];
}

const code = (text: string): string => `\`${text}\``;
const codes = (names: string[]): string => names.map(code).join(', ');

function inputCell(operation: RestOperation): string {
  const { query, body } = fieldsOf(operation);
  if (query.length > 0 && body.length > 0)
    return `query: ${codes(query)}; body: any of ${codes(body)}`;
  const { upload } = operation.http;
  if (upload) return `query: ${codes(query)}; file: ${codes([...upload.mediaTypes])}`;
  if (query.length > 0) return `query: ${codes(query)}`;
  const { shape } = operation.input;
  const optional = body.filter((name) => (shape[name] as z.ZodType).isOptional());
  const required = body.filter((name) => !optional.includes(name));
  if (optional.length === 0) return codes(required);
  if (required.length > 0) return `${codes(required)}; optional ${codes(optional)}`;
  if (operation.http.method === 'POST') return `optional ${codes(optional)}`;
  return optional.length > 1 ? `any of ${codes(optional)}` : codes(optional);
}

function responseCell({
  http: { status, statusWhen, statusUnless, file },
  output,
}: RestOperation): string {
  if (file) return `file: ${codes([...file])}`;
  const shape = code(shapeOf(output));
  const other = statusWhen
    ? `; ${statusWhen.status} when \`${statusWhen.field}\` is true`
    : statusUnless
      ? `; ${statusUnless.status} when \`${statusUnless.field}\` is false`
      : '';
  return (status === 200 ? shape : `${status} ${shape}`) + other;
}

/** `{contact}`, `{contacts: [Contact], pagination: {total, limit}}`: a field is described by its name, or by the name of its type. */
function shapeOf(type: z.ZodType): string {
  if (type instanceof z.ZodArray) return `[${nameOf(type.element as z.ZodType)}]`;
  if (!(type instanceof z.ZodObject)) return '';
  const fields = Object.entries(type.shape as Record<string, z.ZodType>).map(([name, field]) => {
    if (field instanceof z.ZodLiteral) return `${name}: ${String(field.value)}`;
    const shape = field.meta()?.id === undefined ? shapeOf(field) : '';
    return shape === '' ? name : `${name}: ${shape}`;
  });
  return `{${fields.join(', ')}}`;
}

const suffix = 'Listed';

/** Name of a type. The type of a list entry is described by the fields that it lacks. */
function nameOf(type: z.ZodType): string {
  const id = type.meta()?.id ?? shapeOf(type);
  if (!id.endsWith(suffix)) return id;
  const whole = id.slice(0, -suffix.length);
  const missing = fieldNames(named.get(whole)).filter((name) => !fieldNames(type).includes(name));
  return `${whole} without ${missing.join(' and ')}`;
}

const fieldNames = (type: z.ZodType | undefined): string[] =>
  type instanceof z.ZodObject ? Object.keys(type.shape) : [];

/** Named types of the outputs. */
const named = new Map(
  restOperations.flatMap(({ output }) =>
    Object.values((output as z.ZodObject).shape as Record<string, z.ZodType>).flatMap((field) => {
      const id = field.meta()?.id;
      return id === undefined ? [] : [[id, field] as const];
    }),
  ),
);
