import { operations, resources, type Operation } from '@roster/contracts';
import type { z } from 'zod';

/** An operation with a REST binding. */
export type RestOperation = Operation<string, z.ZodObject> &
  Required<Pick<Operation, 'http' | 'scope' | 'tag'>>;

export const restOperations = (Object.values(operations) as Operation[]).filter(
  (operation): operation is RestOperation => operation.http !== undefined,
);

/** Location of the fields of an operation's input in a request. */
export interface OperationFields {
  /** ID of the resource. */
  path: string[];
  /** With a body: fields that the query can contain instead. */
  query: string[];
  body: string[];
  /** Whether a request without a body is rejected. */
  bodyRequired: boolean;
}

export function fieldsOf({ http, input, resource }: RestOperation): OperationFields {
  const path = resource ? [resources[resource].idField as string] : [];
  const rest = Object.keys(input.shape).filter((name) => !path.includes(name));
  const inQuery = http.method === 'GET' || http.method === 'DELETE';
  const body = inQuery ? [] : rest;
  // An action with only optional fields may have no body. An update without a body is a mistake.
  const mayBeAbsent = http.method === 'POST' && body.every((name) => isOptional(input, name));
  const bodyRequired = body.length > 0 && !mayBeAbsent;
  return { path, query: inQuery ? rest : [...(http.query ?? [])], body, bodyRequired };
}

const isOptional = ({ shape }: z.ZodObject, name: string): boolean =>
  (shape[name] as z.ZodType).isOptional();
