import { createSecretKey } from 'node:crypto';
import { databaseConfig, flag, processConfig } from '@roster/service';
import { z } from 'zod';
import type { TokenKey } from './token-cipher.js';

const keyBytes = 32;
const entryShape = /^([A-Za-z0-9_-]{1,32}):([A-Za-z0-9+/]{43}=)$/;

/** `id:base64 of 32 bytes`, several separated by commas: the first encrypts, all decrypt. Problems never show a value. */
const tokenKeys = z.string().transform((text, context): TokenKey[] => {
  const keys = text.split(',').flatMap((entry, index) => {
    const [, id, base64 = ''] = entryShape.exec(entry.trim()) ?? [];
    const bytes = Buffer.from(base64, 'base64');
    if (id !== undefined && bytes.length === keyBytes) return [{ id, key: createSecretKey(bytes) }];
    context.addIssue(
      `entry ${index + 1} must be an id, a colon and the base64 of ${keyBytes} bytes`,
    );
    return [];
  });
  if (new Set(keys.map(({ id }) => id)).size < keys.length)
    context.addIssue('contains duplicate key ids');
  return keys;
});

export const webhooksConfig = processConfig.extend(databaseConfig.shape).extend({
  TOKEN_KEYS: tokenKeys.meta({
    description: 'id:base64 of 32 bytes, for example k1:$(openssl rand -base64 32)',
  }),
  ALLOW_HTTP: flag.default(false),
  FAILING_DAYS_MAX: z.coerce.number().positive().default(5),
});
