import { z } from 'zod';
import { idSchema } from '../../ids.js';
import { anyScope, defineOperation } from '../../operation.js';
import { timestamp } from '../../text.js';
import { keyScopes } from './api-key.js';
import { tokenOperationsMax } from './token.js';

const named = (kind: 'user' | 'workspace') => z.object({ id: idSchema(kind), name: z.string() });

/** What a caller learns of its own key. */
const currentKey = z
  .object({
    id: idSchema('key'),
    name: z.string(),
    scopes: keyScopes.meta({ description: 'Those of the browser token, if it has fewer.' }),
    workspace: named('workspace'),
    user: named('user').meta({ description: 'The user that the API key belongs to.' }),
    createdAt: timestamp,
    expiresAt: timestamp
      .nullable()
      .meta({ description: 'Of the API key, also for a browser token; null without an expiry.' }),
    token: z
      .object({
        readOnly: z.boolean(),
        operations: z.array(z.string()).nullable().meta({ maxItems: tokenOperationsMax }),
      })
      .nullable()
      .meta({ description: 'What the browser token allows; null for an API key.' }),
  })
  .meta({ id: 'CurrentKey' });

export const currentKeyOperations = {
  'key.get': defineOperation({
    name: 'key.get',
    summary: 'Get the API key that the request is sent with',
    service: 'users',
    access: 'read',
    scope: anyScope,
    tag: 'API keys',
    http: { method: 'GET', path: '/v1/key', status: 200, etag: { maintained: [] } },
    input: z.strictObject({}),
    output: z.object({ key: currentKey }),
    faults: [],
  }),
};
