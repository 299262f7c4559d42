import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { permissionsOf } from '@roster/bus';
import { eventData, httpStatus, operations, programNames, type Operation } from '@roster/contracts';
import { z } from 'zod';
import { root } from '../cluster/release.js';
import type { Contracts } from './compare-contracts.js';
import type { Schema } from './compare-schemas.js';

/** The contracts of this release. */
export const readContracts = (): Contracts => ({
  operations: Object.fromEntries(
    Object.values<Operation>(operations).map((operation) => [
      operation.name,
      {
        service: operation.service,
        access: operation.access,
        http: operation.http && { scope: operation.scope, ...operation.http },
        input: schemaOf(operation.input, 'input'),
        parsedInput: schemaOf(operation.input, 'output'),
        output: schemaOf(operation.output, 'output'),
      },
    ]),
  ),
  events: Object.fromEntries(
    Object.entries(eventData).map(([kind, data]) => [kind, schemaOf(data, 'output')]),
  ),
  broadcasts: broadcastsIn(readFileSync(join(root, 'libs/contracts/broadcast.ts'), 'utf8')),
  faults: httpStatus,
  permissions: programNames.flatMap((program) => {
    const { publish, subscribe } = permissionsOf(program);
    return [
      ...publish.allow.map((subject) => `${program} publishes ${subject}`),
      ...subscribe.allow.map((subject) => `${program} subscribes to ${subject}`),
    ];
  }),
});

function schemaOf(type: z.ZodType, io: 'input' | 'output'): Schema {
  const schema = z.toJSONSchema(type, { io, unrepresentable: 'any', reused: 'inline' });
  return inlined(schema as Schema & { $defs?: Record<string, Schema> });
}

/** Schemas with an id are defined once and referenced. No contract contains itself. */
function inlined({ $defs = {}, ...schema }: Schema & { $defs?: Record<string, Schema> }): Schema {
  const inline = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(inline);
    if (typeof value !== 'object' || value === null) return value;
    const { $ref, ...rest } = value as Record<string, unknown>;
    const target = typeof $ref === 'string' ? $defs[$ref.replace('#/$defs/', '')] : undefined;
    return Object.fromEntries(
      Object.entries({ ...target, ...rest }).map(([key, inner]) => [key, inline(inner)]),
    );
  };
  return inline(schema) as Schema;
}

/** Broadcasts are declared only as types. */
function broadcastsIn(source: string): Contracts['broadcasts'] {
  const declared = [...source.matchAll(/^ {2}'([^']+)': \{([^}]*)\};$/gm)];
  if (declared.length === 0)
    throw new Error('broadcast.ts declares no broadcast that could be parsed');
  return Object.fromEntries(
    declared.map(([, name, fields]) => [
      name!,
      Object.fromEntries(
        fields!
          .split(';')
          .filter((field) => field.trim() !== '')
          .map((field) => field.split(':').map((part) => part.trim()) as [string, string]),
      ),
    ]),
  );
}
