import type { z } from 'zod';

export type Schema = z.core.JSONSchema.BaseSchema;

/** What the reference reads of the OpenAPI document. */
export interface OpenApi {
  tags: { name: string; description?: string }[];
  paths: Record<string, Record<string, DescribedOperation>>;
  webhooks: Record<string, { post: DescribedOperation }>;
  components: Record<string, Record<string, unknown>>;
}

export interface DescribedOperation {
  operationId: string;
  summary: string;
  description: string;
  tags: string[];
  parameters?: (Parameter | Reference)[];
  requestBody?: { content: Record<string, Content> };
  responses: Record<string, Response | Reference>;
  'x-codeSamples'?: { label: string; source: string }[];
}

export interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  required: boolean;
  description?: string;
  schema: Schema;
}

export interface Content {
  schema: Schema;
  example?: unknown;
  examples?: Record<string, { value: unknown }>;
}

export interface Response {
  description: string;
  content?: Record<string, Content>;
  'x-codes'?: string[];
}

interface Reference {
  $ref: string;
}

/** The object itself, or the component that it refers to. */
export function resolved<T extends object>(openapi: OpenApi, object: T | Reference): T {
  if (!('$ref' in object) || typeof object.$ref !== 'string') return object as T;
  const [kind = '', name = ''] = object.$ref.split('/').slice(-2);
  return openapi.components[kind]![name] as T;
}

/** An operation with its place in the reference. */
export interface PlacedOperation {
  method: string;
  path: string;
  operation: DescribedOperation;
}

/** The operations of each tag, in the order of the document. Events are those that webhooks receive. */
export function operationsByTag({ paths, webhooks }: OpenApi): Map<string, PlacedOperation[]> {
  const all = [
    ...Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({
        method: method.toUpperCase(),
        path,
        operation,
      })),
    ),
    ...Object.entries(webhooks).map(([kind, { post: operation }]) => ({
      method: 'EVENT',
      path: kind,
      operation,
    })),
  ];
  return Map.groupBy(all, ({ operation }) => operation.tags[0]!);
}

export const slugOf = (tag: string): string => tag.toLowerCase().replaceAll(' ', '-');
