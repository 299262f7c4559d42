import { entityTag } from '@roster/contracts';
import type { z } from 'zod';
import { type RestOperation, restOperations } from './rest-operations.js';

/**
 * The function that determines the entity tag of a result that is a resource, and nothing more: the tag that a GET of the resource has.
 * The answer to a write thus has what If-Match of the next write needs. Undefined for other operations.
 */
export function resultTagOf(
  operation: RestOperation,
): ((result: Uint8Array) => string) | undefined {
  const get = operation.http.etag ? operation : getOf(operation);
  if (!get) return undefined;
  const flag = operation.http.statusUnless?.field;
  const isResource = operation === get;
  if (isResource) return (result) => entityTag(get, result);
  if (flag === undefined) return (result) => entityTag(get, withoutRemarks(result));
  return (result) => entityTag(get, withoutRemarks(withoutFirst(result)));
}

/** The operation that returns the resource that a write returns. */
const getOf = ({ output, http }: RestOperation): RestOperation | undefined => {
  const [resource, ...others] = fieldsOf(output).filter(
    ([name]) => name !== http.statusUnless?.field && !(name in remarks),
  );
  if (!resource || others.length > 0) return undefined;
  const [name, schema] = resource;
  return restOperations.find(
    (other) => other.http.etag && new Map(fieldsOf(other.output)).get(name) === schema,
  );
};

const fieldsOf = (output: z.ZodType): [string, unknown][] =>
  Object.entries((output as Partial<z.ZodObject>).shape ?? {});

/** Fields that can follow a resource, with their beginnings. No text has these characters: its quotes are escaped. */
const remarks = { notices: Buffer.from(',"notices":['), change: Buffer.from(',"change":{') };

/** A JSON object without its last field, if that is a remark. */
function withoutRemarks(result: Uint8Array): Uint8Array {
  const bytes = Buffer.from(result.buffer, result.byteOffset, result.length);
  const at = Math.max(...Object.values(remarks).map((remark) => bytes.lastIndexOf(remark)));
  return at === -1 ? result : Buffer.concat([bytes.subarray(0, at), Buffer.from('}')]);
}

/** A JSON object without its first field, whose value is a boolean. */
function withoutFirst(result: Uint8Array): Uint8Array {
  const rest = Uint8Array.from(result.subarray(result.indexOf(','.charCodeAt(0))));
  rest[0] = '{'.charCodeAt(0);
  return rest;
}
