import { z } from 'zod';
import { anyScope, defineOperation, scopes } from '../../operation.js';
import { timestamp } from '../../text.js';

/** Format of a browser token: a statement that the users service has signed, with three parts in base64url. */
export const tokenShape = /^rst_[0-9A-Za-z_-]{1,32}\.[0-9A-Za-z_-]{1,4096}\.[0-9A-Za-z_-]{86}$/;

/** Longest validity of a browser token. */
export const tokenSecondsMax = 3600;
/** Maximum number of operations to which a token can be limited, which are part of its text. */
export const tokenOperationsMax = 20;

const tokenScopes = z.array(z.enum(scopes)).min(1).max(scopes.length);
const allowed = z
  .array(
    z
      .string()
      .max(64)
      .regex(/^[A-Za-z.-]+$/, 'must be the name of an operation'),
  )
  .min(1)
  .max(tokenOperationsMax);

export const tokenOperations = {
  'tokens.create': defineOperation({
    name: 'tokens.create',
    summary: 'Create a browser token',
    service: 'users',
    access: 'write',
    scope: anyScope,
    containsSecret: true,
    requiresKey: true,
    audited: true,
    tag: 'Tokens',
    http: { method: 'POST', path: '/v1/tokens', status: 201 },
    input: z.strictObject({
      scopes: tokenScopes.optional().meta({
        description: 'Scopes of the API key that the token has. By default all of them.',
      }),
      readOnly: z
        .boolean()
        .default(false)
        .meta({ description: 'Whether the token can only read.' }),
      operations: allowed.optional().meta({
        description:
          'Names of the only operations that the token can call, such as `contacts.list`; `events` and `activity` allow the subscriptions. By default all operations of its scopes, except those that return a secret, users or the audit log.',
      }),
      expiresInSeconds: z.int().min(60).max(tokenSecondsMax).default(900),
    }),
    output: z.object({
      token: z
        .object({
          secret: z.string().meta({
            description:
              'Sent like an API key, as `Authorization: Bearer rst_…`. It is not stored.',
          }),
          expiresAt: timestamp,
          scopes: z.array(z.enum(scopes)),
          readOnly: z.boolean(),
          operations: z.array(z.string()).nullable().meta({ maxItems: tokenOperationsMax }),
        })
        .meta({ id: 'Token' }),
    }),
    faults: [],
  }),
};
