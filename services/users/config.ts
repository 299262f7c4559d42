import { databaseConfig, eventStreamConfig, processConfig } from '@roster/service';

export const usersConfig = processConfig
  .extend(databaseConfig.shape)
  .extend(eventStreamConfig.shape);
