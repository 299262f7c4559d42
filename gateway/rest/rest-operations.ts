import { operations, pathFieldsOf, type Operation } from '@roster/contracts';
import type { z } from 'zod';
import type { HttpMethod } from '../http/routes.js';

/** An operation with a REST binding. */
export type RestOperation = Operation<string, z.ZodObject> &
  Required<Pick<Operation, 'http' | 'scope' | 'tag'>>;

export const restOperations = (Object.values(operations) as Operation[]).filter(
  (operation): operation is RestOperation => operation.http !== undefined,
);

/** Location of the fields of an operation's input in a request. */
export interface OperationFields {
  /** ID of the resource, or another field that names what is meant. */
  path: string[];
  /** With a body: fields that the query can contain instead. */
  query: string[];
  body: string[];
  /** Whether a request without a body is rejected. */
  bodyRequired: boolean;
}

export function fieldsOf({ http, input }: RestOperation): OperationFields {
  const path = pathFieldsOf(http);
  const names = Object.keys(input.shape).filter((name) => !path.includes(name));
  // The media type of an upload is its format.
  const inFile = http.upload ? ['format', ...(http.upload.contains ?? [])] : [];
  const rest = names.filter((name) => !inFile.includes(name));
  const inQuery = http.method === 'GET' || http.method === 'DELETE' || http.upload !== undefined;
  const body = inQuery ? [] : rest;
  // An action with only optional fields may have no body. An update without a body is a mistake.
  const mayBeAbsent = http.method === 'POST' && body.every((name) => isOptional(input, name));
  const bodyRequired = body.length > 0 && !mayBeAbsent;
  return { path, query: inQuery ? rest : [...(http.query ?? [])], body, bodyRequired };
}

/** The methods of an operation. An update of one resource leaves the fields that it lacks as they are, which PATCH means too. */
export const methodsOf = (operation: RestOperation): HttpMethod[] =>
  isPartialUpdate(operation) ? ['PUT', 'PATCH'] : [operation.http.method];

function isPartialUpdate(operation: RestOperation): boolean {
  const { http, input, faults } = operation;
  return (
    http.method === 'PUT' &&
    faults.includes('precondition_failed') &&
    fieldsOf(operation).body.every((name) => isOptional(input, name))
  );
}

const isOptional = ({ shape }: z.ZodObject, name: string): boolean =>
  (shape[name] as z.ZodType).isOptional();
