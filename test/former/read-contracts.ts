import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import type * as contracts from '@roster/contracts';
import { z } from 'zod';
import { root } from '../cluster/release.js';
import type { Contracts } from './compare-contracts.js';
import type { Schema } from './compare-schemas.js';

/** The contracts of a checkout, which are compiled there if necessary. */
export async function readContracts(directory: string): Promise<Contracts> {
  const library = join(directory, 'libs/contracts');
  const tsc = join(root, 'node_modules/typescript/bin/tsc');
  await promisify(execFile)(process.execPath, [tsc, '-b', library], { cwd: directory });
  const built = (await import(
    pathToFileURL(join(library, 'dist/index.js')).href
  )) as typeof contracts;
  return {
    operations: Object.fromEntries(
      Object.values(built.operations as Record<string, contracts.Operation>).map((operation) => [
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
      Object.entries(built.eventData).map(([kind, data]) => [kind, schemaOf(data, 'output')]),
    ),
    broadcasts: broadcastsIn(await readFile(join(library, 'broadcast.ts'), 'utf8')),
    faults: built.httpStatus,
    permissions: permissionsIn(built),
  };
}

function permissionsIn({ callersOf, broadcasts, operations }: Partial<typeof contracts>): string[] {
  if (!callersOf || !broadcasts) return [];
  return [
    ...Object.values<contracts.Operation>(operations!).flatMap((operation) =>
      callersOf(operation).map((program) => `${program} calls ${operation.name}`),
    ),
    ...Object.entries(broadcasts).flatMap(([name, { from, to }]) => [
      ...from.map((program) => `${program} broadcasts ${name}`),
      ...to.map((program) => `${program} listens to ${name}`),
    ]),
  ];
}

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
