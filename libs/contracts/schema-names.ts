import type { EventKind } from './event.js';
import type { Operation } from './operation.js';

/** Names of an operation's schemas: `contacts.create` has `CreateContactInput`, and `contacts.list` `ContactPage`. */
export function schemaNames({ name, access }: Pick<Operation, 'name' | 'access'>): {
  input: string;
  output: string;
} {
  const [noun = '', verb = ''] = name.split('.');
  const type = pascal(singular(noun));
  // `contacts.get` gets the noun, other reads what their verb names.
  const [first = '', ...rest] =
    access === 'write' || verb === 'get' ? verb.split('-') : ['get', verb];
  // `me` replaces the noun.
  const action = pascal(first) + (rest[0] === 'me' ? '' : type) + pascal(rest.join('-'));
  return {
    input: `${action}Input`,
    output: verb === 'list' ? `${type}Page` : `${action}Response`,
  };
}

/** Name of the schema of an event's body: `ContactCreatedEvent`. */
export const eventName = (kind: EventKind): string => `${pascal(kind.toLowerCase())}Event`;

/** Of an event of the log. */
export const listedEventName = (kind: EventKind): string => `${eventName(kind)}Listed`;

/** Of one with its deliveries. */
export const detailedEventName = (kind: EventKind): string => `${eventName(kind)}WithDeliveries`;

/** Methods of the client library whose names differ from those of their operations. */
const renamedMethods: Record<string, readonly [string, string]> = {
  'event.get': ['eventLog', 'get'],
  'workspace-deliveries.list': ['deliveries', 'listAll'],
  'workspaces.origins': ['origins', 'get'],
  'workspaces.set-origins': ['origins', 'update'],
};

/** Resource and method of an operation in the client library: `contactProperties` and `create`. */
export function clientMethod(name: string): readonly [resource: string, method: string] {
  const [noun = '', verb = ''] = name.split('.');
  return renamedMethods[name] ?? [camel(noun), camel(verb)];
}

const camel = (words: string): string =>
  words.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
const pascal = (words: string): string =>
  words.replaceAll(/(?:^|[-_])(\w)/g, (_, letter: string) => letter.toUpperCase());
const singular = (noun: string): string => noun.replace(/ies$/, 'y').replace(/s$/, '');
