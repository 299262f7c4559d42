import {
  commaList,
  eventStreamConfig,
  processConfig,
  publicUrlConfig,
  signingKey,
} from '@roster/process';
import { databaseConfig } from '@roster/storage';
import { z } from 'zod';

const loopback = ['localhost', '127.0.0.1', '[::1]'];

export const usersConfig = processConfig
  .extend(databaseConfig.shape)
  .extend(eventStreamConfig.shape)
  .extend(publicUrlConfig.shape)
  .extend({
    CALLER_SIGNING_KEY: signingKey
      .optional()
      .describe(
        '`id:base64` of an Ed25519 private key: signs what the users service states about callers whose API keys it has verified, and browser tokens. Without it, `POST /v1/tokens` is answered 503',
      ),
    ADMIN_KEY_HASHES: commaList
      .refine((all) => all.every((one) => /^[0-9a-f]{64}$/i.test(one)), {
        error: 'must be SHA-256 hashes in hex, separated by commas',
      })
      .describe(
        'SHA-256 hashes in hex of the keys that administer workspaces with `/v1/admin`, separated by commas; `roster admin-key create` makes a key. Without one, these paths are answered 404',
      ),
    WORKSPACE_DELETION_SECONDS: z.coerce
      .number()
      .int()
      .min(0)
      .default(300)
      .describe(
        'How long after the start of the deletion of a workspace its last pass begins: by then, no process acts any more on what it knew of the workspace',
      ),
    OIDC_ISSUER: z
      .string()
      .refine(isIssuer, {
        error: 'must be a URL such as https://id.example.com; http only on this machine',
      })
      .optional()
      .describe(
        'OpenID issuer with which people sign in to the console, such as `https://id.example.com`, exactly as its discovery document states it. Requires `OIDC_CLIENT_ID` and `PUBLIC_URL`',
      ),
    OIDC_CLIENT_ID: z.string().min(1).optional().describe('ID of this installation at the issuer'),
    OIDC_CLIENT_SECRET: z
      .string()
      .trim()
      .min(1)
      .optional()
      .describe('Secret of this installation at the issuer. Without it, it is a public client'),
  })
  .superRefine((config, context) => {
    if (config.OIDC_ISSUER === undefined) return;
    for (const name of ['OIDC_CLIENT_ID', 'PUBLIC_URL'] as const)
      if (config[name] === undefined)
        context.addIssue({ code: 'custom', path: [name], message: 'is required with OIDC_ISSUER' });
  });

/** Codes and tokens that are exchanged without TLS could be read. */
function isIssuer(text: string): boolean {
  const url = URL.parse(text);
  if (url === null || /[?#@\s]/.test(text)) return false;
  return url.protocol === 'https:' || (url.protocol === 'http:' && loopback.includes(url.hostname));
}
