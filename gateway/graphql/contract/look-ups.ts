import {
  idPrefixes,
  operations,
  resources,
  type Operation,
  type OperationName,
} from '@roster/contracts';
import type { RequestOperations } from '../request/request-operations.js';
import { fieldsOfContract } from './field-types.js';

/** The read of a resource by its ID. */
export interface LookUp {
  operation: Operation;
  type: () => object;
  typeName: string;
  find(operations: RequestOperations, id: string): Promise<{ id: string } | null>;
}

/** The look-ups of all nodes, by the prefix of their IDs. An event is no node: its type follows from its kind. */
export const lookUps: ReadonlyMap<string, LookUp> = new Map(
  (Object.values(operations) as Operation[]).flatMap((operation) => {
    const { name, resource, output } = operation;
    if (!name.endsWith('.get') || !resource || resource === 'event') return [];
    const { idField } = resources[resource];
    const [field, { type, objectName }] = Object.entries(fieldsOfContract(output, 'output'))[0]!;
    const lookUp: LookUp = {
      operation,
      type,
      typeName: objectName!,
      async find(calls, id) {
        // The secrets of a webhook have look-ups of their own, which the audit log records.
        const read = name === 'webhooks.get' ? 'webhooks.find' : name;
        const found = await calls.find(read as OperationName, { [idField]: id });
        return (found as Record<string, { id: string }> | null)?.[field] ?? null;
      },
    };
    return [[idPrefixes[resource], lookUp] as const];
  }),
);

/** The look-up for an ID, by its prefix. */
export const lookUpOf = (id: string): LookUp | undefined =>
  lookUps.get(id.slice(0, id.indexOf('_')));
