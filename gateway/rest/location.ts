import { resources } from '@roster/contracts';
import type { z } from 'zod';
import { restOperations, type RestOperation } from './rest-operations.js';

const opening = '"id":"';

/**
 * Returns a function that finds the path of the created resource in a result, or undefined for resources without a path.
 *
 * The ID is searched in the bytes instead of parsing them: it is the first `"id"` of every resource.
 */
export function locationOf(
  create: RestOperation,
): ((result: Uint8Array) => string | undefined) | undefined {
  const one = restOperations.find(({ http, resource }) => {
    return resource && http.path === `${create.http.path}/{${resources[resource].idField}}`;
  });
  if (!one?.resource) return undefined;
  const idSchema = one.input.shape[resources[one.resource].idField] as z.ZodType;
  return (result) => {
    const bytes = Buffer.from(result.buffer, result.byteOffset, result.byteLength);
    const start = bytes.indexOf(opening) + opening.length;
    const id = bytes.toString('latin1', start, bytes.indexOf('"', start));
    return start >= opening.length && idSchema.safeParse(id).success
      ? `${create.http.path}/${id}`
      : undefined;
  };
}
