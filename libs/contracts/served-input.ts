import { z } from 'zod';
import type { Operation } from './operation.js';

const schemas = new WeakMap<Operation, z.ZodType>();

/**
 * Schema of the input as a service receives it: what the contract's schema returned to the gateway. Fields that this release
 * does not know are removed, because a gateway of the next release may send them.
 */
export function servedInput(operation: Operation): z.ZodType {
  let schema = schemas.get(operation);
  if (!schema) {
    const { input } = operation;
    schema = input instanceof z.ZodObject ? input.strip() : input;
    schemas.set(operation, schema);
  }
  return schema;
}
