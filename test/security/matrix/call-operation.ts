import { eventually, sampleContent, sampleQuery } from '@roster/testing';
import { documentOf } from '@roster/testing/graphql';
import { buildSchema } from 'graphql';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../cluster/release.js';
import type { Shown } from '../../system/owned-resources.js';

/** A response, without what differs between two responses to the same request. */
export interface Response {
  status: number;
  headers: Record<string, string>;
  body: string;
  /** Codes of the problem, or of the errors of GraphQL. */
  codes: string[];
}

/** Calls an operation with the ID of a resource. */
export type CallOperation = (
  operation: Shown,
  id: string,
  secret: string | undefined,
) => Promise<Response>;

const schema = buildSchema(readFileSync(join(root, 'gateway/schema.graphql'), 'utf8'));
/** They differ from one response to the next. */
const varying = new Set(['date', 'ratelimit']);

export const interfaces = (baseUrl: string): Record<string, CallOperation> => ({
  REST(operation, id, secret) {
    const { http } = operation;
    const isRead = http.method === 'GET';
    const content = isRead ? undefined : sampleContent(operation);
    const target = http.path.replace(/\{\w+\}/, id) + (isRead ? sampleQuery(operation) : '');
    return send(baseUrl + target, http.method, content, secret);
  },
  GraphQL(operation, id, secret) {
    const body = JSON.stringify(documentOf(schema, operation, id));
    return send(`${baseUrl}/graphql`, 'POST', { type: 'application/json', body }, secret);
  },
});

/** Sent again while the gateway is busy. */
const send = (
  url: string,
  method: string,
  content: Content | undefined,
  secret: string | undefined,
) =>
  eventually(async () => {
    const response = await fetch(url, {
      method,
      headers: {
        'content-type': content?.type ?? 'application/json',
        'x-request-id': 'one-for-all',
        ...(secret !== undefined && { authorization: `Bearer ${secret}` }),
      },
      body: content?.body ?? null,
    });
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.includes('json');
    const codes = isJson ? codesIn(JSON.parse(text) as Failure) : [];
    if (codes.includes('unavailable')) return undefined;
    const entries = [...response.headers].filter(([name]) => !varying.has(name));
    return {
      status: response.status,
      headers: Object.fromEntries(entries),
      body: text,
      codes,
    };
  });

interface Content {
  type: string;
  body: string;
}

interface Failure {
  code?: string;
  errors?: { extensions?: { code: string } }[];
}

function codesIn({ code, errors = [] }: Failure): string[] {
  if (code !== undefined) return [code];
  return errors.flatMap(({ extensions }) => extensions?.code ?? []);
}
