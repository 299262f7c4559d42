import { eventStreamConfig, processConfig, signingKey } from '@roster/process';
import { databaseConfig } from '@roster/storage';

export const usersConfig = processConfig
  .extend(databaseConfig.shape)
  .extend(eventStreamConfig.shape)
  .extend({
    CALLER_SIGNING_KEY: signingKey
      .optional()
      .describe(
        '`id:base64` of an Ed25519 private key: signs what the users service states about callers whose API keys it has verified, and browser tokens. Without it, `POST /v1/tokens` is answered 503',
      ),
  });
