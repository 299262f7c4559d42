import { eventStreamConfig, processConfig, publicUrlConfig } from '@roster/process';
import { databaseConfig } from '@roster/storage';

export const contactsConfig = processConfig
  .extend(databaseConfig.shape)
  .extend(eventStreamConfig.shape)
  .extend(publicUrlConfig.shape);
