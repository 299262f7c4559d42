import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

import { z } from 'zod';

export const root = fileURLToPath(new URL('../../..', import.meta.url));

const schema = z.object({
  ROSTER_HOME: z.string().min(1).default(join(root, '.roster')),
  HOST: z.string().min(1).default('127.0.0.1'),
  /** 0 takes a free port. */
  PORT: z.coerce.number().int().min(0).max(65_535).default(8080),
  /** Given: no embedded server starts. */
  DATABASE_URL: z.string().min(1).optional(),
  NATS_URL: z.string().min(1).optional(),
  LOG_LEVEL: z.string().default('info'),
  /** Given: kept as they are for the webhooks service. */
  TOKEN_KEYS: z.string().min(1).optional(),
  ALLOW_TARGETS: z.string().default('127.0.0.0/8,::1/128'),
  ALLOW_HTTP: z.string().default('true'),
});

export type LocalConfig = ReturnType<typeof readLocalConfig>;

/** What the environment says about a system on this machine. */
export function readLocalConfig() {
  const parsed = schema.safeParse(process.env);
  if (!parsed.success) {
    throw new Error(`The environment is not right:\n${z.prettifyError(parsed.error)}`);
  }
  const config = parsed.data;
  const home = resolve(config.ROSTER_HOME);
  return {
    ...config,
    home,
    files: {
      lock: join(home, 'lock'),
      logs: join(home, 'logs'),
      postgres: join(home, 'postgres'),
      nats: join(home, 'nats'),
      tokenKeys: join(home, 'token-keys'),
      demoWorkspace: join(home, 'demo-workspace.json'),
      demo: join(home, 'demo.json'),
    },
  };
}
