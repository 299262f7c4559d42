import { eventStreamConfig, processConfig, signingKey } from '@roster/process';
import { databaseConfig } from '@roster/storage';

export const usersConfig = processConfig
  .extend(databaseConfig.shape)
  .extend(eventStreamConfig.shape)
  .extend({
    /** Signs what this service states about the callers whose API keys it has verified. */
    CALLER_SIGNING_KEY: signingKey.optional(),
  });
