import { operations, type Operation } from '@roster/contracts';
import type { z } from 'zod';

/** An operation that REST shows. */
export type RestOperation = Operation<string, z.ZodObject> & Required<Pick<Operation, 'http'>>;

export const restOperations = (Object.values(operations) as Operation[]).filter(
  (operation): operation is RestOperation => operation.http !== undefined,
);

/** Where the fields of an operation's input stand in a request. */
export interface OperationFields {
  path: string[];
  query: string[];
  body: string[];
}

export function fieldsOf({ http, input }: RestOperation): OperationFields {
  const path = [...http.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!);
  const rest = Object.keys(input.shape).filter((name) => !path.includes(name));
  const inQuery = http.method === 'GET' || http.method === 'DELETE';
  return { path, query: inQuery ? rest : [], body: inQuery ? [] : rest };
}
