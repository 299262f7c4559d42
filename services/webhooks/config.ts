import { createSecretKey } from 'node:crypto';
import { eventStreamConfig, namedKeys, processConfig } from '@roster/process';
import { databaseConfig } from '@roster/storage';
import { targetConfig } from '@roster/process/targets';
import { z } from 'zod';

/** The first encrypts, all decrypt. */
const tokenKeys = namedKeys(createSecretKey);

export const webhooksConfig = processConfig
  .extend(databaseConfig.shape)
  .extend(eventStreamConfig.shape)
  .extend(targetConfig.shape)
  .extend({
    TOKEN_KEYS: tokenKeys.meta({
      description:
        '`id:base64` of 32 bytes, separated by commas if several. The first key encrypts webhook tokens, all decrypt; tokens encrypted with other keys are re-encrypted in the background',
      setTo: 'id:base64 of 32 bytes, for example k1:$(openssl rand -base64 32)',
    }),
    FAILING_DAYS_MAX: z.coerce
      .number()
      .positive()
      .default(5)
      .describe('Days of consecutive failures after which a webhook is disabled'),
  });
