import {
  clientMethod,
  deliveredData,
  eventKinds,
  eventName,
  listedEventName,
  listedEventOf,
  httpStatus,
  operations,
  pathFieldsOf,
  releaseVersion,
  schemaNames,
  scopes,
  scopesOf,
  type Operation,
} from '@roster/contracts';
import { z } from 'zod';
import { comment, indent, literal, printObject, printType } from './print-type.js';

type Schema = z.core.JSONSchema.BaseSchema;
type RestOperation = Operation & Required<Pick<Operation, 'http'>>;

const origin = '// Emitted from libs/contracts by libs/client/emit: npm run record';

const restOperations = (Object.values(operations) as Operation[]).filter(
  (operation): operation is RestOperation => operation.http !== undefined,
);

/** The file `types.ts`: the types of the contracts. */
export function emitTypes(): string {
  const types = new Map<string, string>();
  for (const operation of restOperations) addTypes(types, operation);
  for (const kind of eventKinds) addEvent(types, kind);
  for (const kind of eventKinds) addListedEvent(types, kind);
  types.set('EventListed', eventKinds.map(listedEventName).join(' | '));
  types.set('Event', eventType());
  types.set('WebhookEvent', eventKinds.map(eventName).join(' | '));
  types.set('FaultCode', Object.keys(httpStatus).map(literal).join(' | '));
  return [
    origin,
    `export const version = '${releaseVersion}';`,
    ...comment('All event kinds of this release, and all scopes.'),
    `export const eventKinds = [${eventKinds.map(literal).join(', ')}] as const;`,
    `export const scopes = [${scopes.map(literal).join(', ')}] as const;`,
    '',
    ...[...types].flatMap(([name, type]) =>
      type.startsWith('{')
        ? [`export interface ${name} ${type}`, '']
        : [`export type ${name} = ${type};`, ''],
    ),
  ].join('\n');
}

/** The file `operations.ts`: the methods of all operations of REST. */
export function emitOperations(): string {
  const methods = Map.groupBy(restOperations.map(describeMethod), ({ resource }) => resource);
  const all = [...methods.values()].flat();
  const names = [...new Set(all.flatMap(({ signature }) => signature.match(/\b[A-Z]\w+/g)!))];
  const types = names.filter((name) => !beneath.has(name)).toSorted();
  return [
    origin,
    "import type { Download, FileContent, Upload } from './files.js';",
    "import type { Answer, PagePromise } from './page.js';",
    "import type { CallOptions } from './request.js';",
    'import type {',
    ...indent(types.map((name) => `${name},`)),
    "} from './types.js';",
    '',
    "export type * from './types.js';",
    '',
    ...comment('The methods of all operations, by resource.'),
    'export abstract class Resources {',
    ...indent(
      [...methods].flatMap(([resource, all]) => [
        `declare readonly ${resource}: {`,
        ...indent(all.flatMap(({ documentation, signature }) => [...documentation, signature])),
        '};',
      ]),
    ),
    '}',
    '',
    ...comment(
      'What each method sends: its method, its path, in which `:` is an ID and `::` any text, whether it has an input (`i`), and what it returns: the field of a result (`.`), the entries of pages (`*`), a file (`<`); or takes: a file (`>`), the beginning of one (`^`).',
    ),
    'export const methods: Record<string, Record<string, string>> = {',
    ...indent(
      [...methods].flatMap(([resource, all]) => [
        `${resource}: {`,
        ...indent(all.map(({ name, sent }) => `${name}: '${sent}',`)),
        '},',
      ]),
    ),
    '};',
    '',
  ].join('\n');
}

/** Types of the code beneath. */
const beneath = new Set([
  'Answer',
  'CallOptions',
  'Download',
  'FileContent',
  'PagePromise',
  'Upload',
]);

interface Method {
  resource: string;
  name: string;
  documentation: string[];
  signature: string;
  /** Entry of the table of methods. */
  sent: string;
}

function describeMethod(operation: RestOperation): Method {
  const { http, access, summary, faults, requiresKey } = operation;
  if ((access === 'read') !== (http.method === 'GET') && !(access === 'read' && http.upload))
    throw new Error(`${operation.name}: idempotency keys belong to writes`);
  const [resource, name] = clientMethod(operation.name);
  const input = inputOf(operation);
  const result = resultOf(operation);
  const [id] = pathFieldsOf(http);
  const isOptional = input?.required === undefined && http.method !== 'PUT';
  const parameters = [
    ...(http.upload ? ['file: FileContent'] : []),
    ...(id === undefined ? [] : [`${id}: string`]),
    ...(input
      ? [
          `${http.method === 'GET' ? 'query' : 'input'}${isOptional ? '?' : ''}: ${inputName(operation)}`,
        ]
      : []),
    'options?: CallOptions',
  ];
  const scopes = scopesOf(operation).map((scope) => `\`${scope}\``);
  const needed =
    scopes.length === 0
      ? 'Requires no scope'
      : `Requires the ${scopes.length > 1 ? 'scopes' : 'scope'} ${scopes.join(' and ')}`;
  const refusals =
    faults.length === 0 ? '' : ` Faults: ${faults.map((code) => `\`${code}\``).join(', ')}.`;
  const path = http.path.slice('/v1/'.length).replace(/\{\w+\}/, operation.resource ? ':' : '::');
  return {
    resource,
    name,
    documentation: comment(
      `${summary}. ${needed}${requiresKey ? ', and no browser token' : ''}.${refusals}`,
    ),
    signature: `${name}(${parameters.join(', ')}): ${result.type};`,
    sent: `${http.method} ${path} ${input ? 'i' : ''}${result.kind}`.trimEnd(),
  };
}

/** What a method returns, and how the table says so. */
function resultOf(operation: RestOperation): { type: string; kind: string } {
  const { http } = operation;
  if (http.file) return { type: 'Download', kind: '<' };
  const { properties = {} } = toSchema(operation, 'output') as {
    properties?: Record<string, Schema>;
  };
  const { notices, ...fields } = properties;
  const [[field, schema] = ['', {}], ...others] = Object.entries(fields);
  const { output } = schemaNames(operation);
  if (operation.name.endsWith('.list') && schema.type === 'array')
    return {
      type: `PagePromise<${output}, ${printType(schema.items as Schema, 'output')}>`,
      kind: `*${field}`,
    };
  const isObject = schema.type === 'object' || schema.$ref !== undefined;
  if (others.length > 0 || !isObject) return { type: `Answer<${output}>`, kind: '' };
  const type = schema.$ref === undefined ? output : printType(schema, 'output');
  if (http.upload && http.status === 202) return { type: `Upload<${type}>`, kind: `>${field}` };
  if (http.upload) return { type: `Answer<${type}>`, kind: `^${field}` };
  const noticed = notices ? `${type} & { notices?: ${printType(notices, 'output')} }` : type;
  return { type: `Answer<${noticed}>`, kind: `.${field}` };
}

function addTypes(types: Map<string, string>, operation: RestOperation): void {
  const add = (name: string, type: string) => {
    const known = types.get(name) ?? type;
    if (known !== type) throw new Error(`${name} means two types`);
    types.set(name, type);
  };
  const input = inputOf(operation);
  if (input) {
    for (const [name, schema] of Object.entries(toSchema(operation, 'input').$defs ?? {}))
      add(name, printType(schema, 'input'));
    add(inputName(operation), printObject(input, 'input'));
  }
  if (operation.http.file) return;
  const output = toSchema(operation, 'output');
  for (const [name, schema] of Object.entries(output.$defs ?? {}))
    add(name, printType(schema, 'output'));
  const { output: name } = schemaNames(operation);
  const { type, kind } = resultOf(operation);
  if (!type.includes(`<${name}`)) return;
  add(
    name,
    printType(
      /^[.^]/.test(kind) ? (output.properties![kind.slice(1)] as Schema) : output,
      'output',
    ),
  );
}

function addEvent(types: Map<string, string>, kind: (typeof eventKinds)[number]): void {
  const { $defs = {}, ...data } = z.toJSONSchema(deliveredData[kind], { io: 'output' });
  for (const [name, schema] of Object.entries($defs)) types.set(name, printType(schema, 'output'));
  types.set(
    eventName(kind),
    printType(
      {
        type: 'object',
        properties: {
          event: { type: 'string', const: kind },
          created_at: { type: 'string', description: 'When the event occurred.' },
          data,
        },
        required: ['event', 'created_at', 'data'],
      },
      'output',
    ),
  );
}

function addListedEvent(types: Map<string, string>, kind: (typeof eventKinds)[number]): void {
  const { $defs: _, ...listed } = z.toJSONSchema(listedEventOf(kind), { io: 'output' });
  types.set(listedEventName(kind), printType(listed, 'output'));
}

/** An event of the log with its deliveries: its kind determines its `data`, as in the list. */
function eventType(): string {
  const { output } = operations['event.get'];
  const { Event } = z.toJSONSchema(output, { io: 'output' }).$defs!;
  const deliveries = Event!.properties!['deliveries'] as Schema;
  const fields: Schema = { type: 'object', properties: { deliveries }, required: ['deliveries'] };
  return `EventListed & ${printType(fields, 'output')}`;
}

/** The input of a method beside the field of its path, or undefined if it has none. */
function inputOf(operation: RestOperation): Schema | undefined {
  const { properties = {}, required = [] } = toSchema(operation, 'input');
  const [id = ''] = pathFieldsOf(operation.http);
  const { [id]: _, ...fields } = properties as Record<string, Schema>;
  if (Object.keys(fields).length === 0) return undefined;
  // Without a format, the gateway finds it from the file.
  if (operation.http.upload) delete fields['format']!.default;
  for (const name of operation.http.upload?.contains ?? []) delete fields[name];
  const needed = required.filter((name) => name in fields);
  return {
    type: 'object',
    properties: fields,
    ...(needed.length > 0 && { required: needed }),
  };
}

function inputName(operation: RestOperation): string {
  const [noun = '', verb = ''] = operation.name.split('.');
  if (operation.access === 'write' || verb === 'get') return schemaNames(operation).input;
  const [first = '', ...rest] = verb.split('-');
  return `${pascal(first)}${pascal(noun)}${pascal(rest.join('-'))}Input`;
}

const toSchema = (operation: RestOperation, io: 'input' | 'output') =>
  z.toJSONSchema(operation[io], { io });

const pascal = (words: string): string =>
  words.replaceAll(/(?:^|-)(\w)/g, (_, letter: string) => letter.toUpperCase());
