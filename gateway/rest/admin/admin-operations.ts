import { anyScope, operations, type HttpBinding, type Operation } from '@roster/contracts';
import type { z } from 'zod';
import type { RestOperation } from '../rest-operations.js';

/** An operation that requires an admin key. */
export interface AdminOperation {
  /** As services know it. */
  operation: Operation<string, z.ZodObject>;
  /**
   * As clients know it: without the field of the key, which the gateway adds. It takes no Idempotency-Key, which would belong to a
   * workspace, and is therefore described as a read.
   */
  shown: RestOperation;
}

const withBinding = (Object.values(operations) as Operation<string, z.ZodObject>[]).filter(
  (operation): operation is typeof operation & { admin: HttpBinding } =>
    operation.admin !== undefined,
);

export const adminTag = 'Workspaces';

export const adminOperations: readonly AdminOperation[] = withBinding.map((operation) => ({
  operation,
  shown: {
    ...operation,
    access: 'read',
    scope: anyScope,
    tag: adminTag,
    http: operation.admin,
    input: operation.input.omit({ adminKey: true }),
    faults: [...new Set([...operation.faults, 'not_found' as const])],
  },
}));
