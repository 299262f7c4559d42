import { operations, resources, type Operation } from '@roster/contracts';
import type { z } from 'zod';

/** An operation that REST shows. */
export type RestOperation = Operation<string, z.ZodObject> &
  Required<Pick<Operation, 'http' | 'scope' | 'tag'>>;

export const restOperations = (Object.values(operations) as Operation[]).filter(
  (operation): operation is RestOperation => operation.http !== undefined,
);

/** Where the fields of an operation's input stand in a request. */
export interface OperationFields {
  /** The id of its resource. */
  path: string[];
  query: string[];
  body: string[];
  /** Whether a request without a body is refused for that. */
  bodyRequired: boolean;
}

export function fieldsOf({ http, input, resource }: RestOperation): OperationFields {
  const path = resource ? [resources[resource].idField as string] : [];
  const rest = Object.keys(input.shape).filter((name) => !path.includes(name));
  const inQuery = http.method === 'GET' || http.method === 'DELETE';
  const body = inQuery ? [] : rest;
  // An action may have nothing to add; an update without a body forgot it.
  const mayBeAbsent = http.method === 'POST' && body.every((name) => isOptional(input, name));
  const bodyRequired = body.length > 0 && !mayBeAbsent;
  return { path, query: inQuery ? rest : [], body, bodyRequired };
}

const isOptional = ({ shape }: z.ZodObject, name: string): boolean =>
  (shape[name] as z.ZodType).isOptional();
