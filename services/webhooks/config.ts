import { createSecretKey } from 'node:crypto';
import { databaseConfig, flag, namedKeys, processConfig } from '@roster/service';
import { z } from 'zod';

/** The first encrypts, all decrypt. */
const tokenKeys = namedKeys(createSecretKey);

export const webhooksConfig = processConfig.extend(databaseConfig.shape).extend({
  TOKEN_KEYS: tokenKeys.meta({
    description: 'id:base64 of 32 bytes, for example k1:$(openssl rand -base64 32)',
  }),
  ALLOW_HTTP: flag.default(false),
  FAILING_DAYS_MAX: z.coerce.number().positive().default(5),
});
