import type { Operation } from './operation.js';

/** The field of the GraphQL schema that exposes an operation. */
export interface GraphqlField {
  /** `Query`, `Mutation`, or the type of the resource. */
  parent: string;
  name: string;
}

/**
 * Field of an operation by naming convention: `contacts.archive` is `Mutation.archiveContact`, and `contacts.batch`, which
 * concerns many, `Mutation.batchContacts`.
 */
export function graphqlFieldOf({ name, access, resource, bulk }: Operation): GraphqlField {
  const [noun = '', verb = ''] = name.split('.');
  if (access === 'write') {
    const [first = '', ...rest] = verb.split('-');
    // `me` replaces the noun.
    const object = rest[0] === 'me' ? '' : pascalCase(bulk ? noun : singular(noun));
    return { parent: 'Mutation', name: first + object + pascalCase(rest.join('-')) };
  }
  if (verb === 'get') return { parent: 'Query', name: camelCase(singular(noun)) };
  return {
    parent: resource ? pascalCase(resource) : 'Query',
    // Lists of a workspace, beside those of a resource: `workspace-deliveries.list` is `Query.deliveries`.
    name: camelCase(verb === 'list' ? noun.replace(/^workspace-/, '') : verb),
  };
}

export const pascalCase = (words: string): string =>
  words.replaceAll(/(?:^|-)(\w)/g, (_, letter: string) => letter.toUpperCase());

export const camelCase = (words: string): string =>
  pascalCase(words).replace(/^\w/, (one) => one.toLowerCase());

/** Settings are one resource. */
const singular = (noun: string): string =>
  noun === 'settings' ? noun : noun.replace(/ies$/, 'y').replace(/s$/, '');
