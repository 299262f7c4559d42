import { join, resolve } from 'node:path';

import { natsConfig, readConfig } from '@roster/process';
// Not with the rest of the library: the supervisor needs no MikroORM.
import { databaseConfig } from '@roster/storage/config';
import { z } from 'zod';

import { forEachUser, urlVariable } from './database/database-user.js';
import { defaultHome } from './home.js';

const { shape: natsShape } = natsConfig;
const databaseUrl = databaseConfig.shape.DATABASE_URL.optional();

const schema = z.object({
  ROSTER_HOME: z.string().min(1).default(defaultHome),
  HOST: z.string().min(1).default('127.0.0.1'),
  /** 0 selects a free port. */
  PORT: z.coerce.number().int().min(0).max(65_535).default(8080),
  /** If set, no embedded server is started. */
  DATABASE_URL: databaseUrl,
  /** URLs of single roles. Default: DATABASE_URL. */
  MIGRATE_DATABASE_URL: databaseUrl,
  CONTACTS_DATABASE_URL: databaseUrl,
  USERS_DATABASE_URL: databaseUrl,
  WEBHOOKS_DATABASE_URL: databaseUrl,
  DISPATCHER_DATABASE_URL: databaseUrl,
  ...natsShape,
  NATS_URL: natsShape.NATS_URL.optional(),
  /** Folder with the seeds of the existing NATS, as `nats keys` makes it. */
  NATS_KEYS_FOLDER: z.string().min(1).optional(),
  /** How long a process may take to become ready. Timers of Node have at most 24 days; a longer one ends at once. */
  READY_TIMEOUT_SECONDS: z.coerce.number().int().positive().max(86_400).default(60),
  LOG_LEVEL: z.string().default('info'),
  /** If not set, the address of this system, unless its port is assigned. */
  PUBLIC_URL: z.string().min(1).optional(),
  /** If set, passed to the webhooks service unchanged. */
  TOKEN_KEYS: z.string().min(1).optional(),
  /** Introspection and GraphiQL are for development: any value but `production` enables them. */
  NODE_ENV: z
    .string()
    .default('development')
    .transform((value) => (value === 'production' ? value : 'development')),
  ALLOW_TARGETS: z.string().default('127.0.0.0/8,::1/128'),
  ALLOW_HTTP: z.string().default('true'),
  /** Of a gateway: the commands `workspace` and `user` then call it instead of NATS. */
  ROSTER_ADMIN_URL: z
    .url({
      protocol: /^https?$/,
      error: 'must be the URL of a gateway, such as https://roster.example.com',
    })
    .optional(),
  ROSTER_ADMIN_KEY: z.string().trim().min(1).optional(),
});

export type LocalConfig = ReturnType<typeof readLocalConfig>;

/** Configuration of a local system, from the environment. */
export function readLocalConfig() {
  const config = readConfig(schema);
  const home = resolve(config.ROSTER_HOME);
  return {
    ...config,
    home,
    databaseUrls: forEachUser((user) => config[urlVariable(user)]),
    /** Folder with the seeds of an existing NATS. */
    natsKeys: config.NATS_KEYS_FOLDER && resolve(config.NATS_KEYS_FOLDER),
    files: {
      lock: join(home, 'lock'),
      logs: join(home, 'logs'),
      postgres: join(home, 'postgres'),
      /** Beside the cluster, so that it is removed with it. */
      preparedBy: join(home, 'postgres', 'prepared-by'),
      databasePasswords: join(home, 'database-passwords.json'),
      nats: join(home, 'nats'),
      natsKeys: join(home, 'nats-keys'),
      tokenKeys: join(home, 'token-keys'),
      callerKey: join(home, 'caller-key'),
      demoWorkspace: join(home, 'demo-workspace.json'),
      demo: join(home, 'demo.json'),
      /** Read by the command line. */
      profiles: join(home, 'profiles.json'),
    },
  };
}
