import type { Operation } from '@roster/contracts';
import { sampleQuery } from '@roster/testing';
import type { RestOperation } from '../../rest/rest-operations.js';
import { pathIds } from '../stub-results.js';

/** REST path of an operation, with an ID that the stubs know. */
export const pathOf = ({ http }: Pick<Operation, 'http'>): string =>
  http!.path.replaceAll(/\{(\w+)\}/g, (_, field: string) => pathIds[field]!);

/** Path of an operation, with the input of those that have no body. */
export function targetOf(operation: RestOperation, method: string = operation.http.method): string {
  const hasQuery = method === 'GET' || method === 'DELETE';
  return pathOf(operation) + (hasQuery ? sampleQuery(operation) : '');
}
