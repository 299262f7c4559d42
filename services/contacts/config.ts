import { databaseConfig, eventStreamConfig, processConfig } from '@roster/service';

export const contactsConfig = processConfig
  .extend(databaseConfig.shape)
  .extend(eventStreamConfig.shape);
