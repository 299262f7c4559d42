import { randomBytes } from 'node:crypto';
import { join } from 'node:path';

import { publicKeyOf } from '@roster/service';

import { type LocalConfig, root } from './config.js';
import {
  services as names,
  urlVariable,
  databaseUsers,
  type DatabaseUrls,
} from './database/database-user.js';
import { seedFile } from './nats/keys.js';
import { nodeProcess } from './supervision/node-process.js';
import type { Part } from './supervision/part.js';
import { readIfThere, writePrivateFile } from './private-file.js';

export interface Backing {
  databaseUrls: DatabaseUrls;
  natsUrl: string;
  /** Folder with the seeds of the programs. Without it, the environment determines the credentials. */
  natsKeys?: string | undefined;
}

/** The processes behind the gateway. */
export function services(config: LocalConfig, backing: Backing): Part[] {
  // Allow receivers on this machine and without TLS, as used in development, in webhook URLs and for deliveries.
  const targets = { ALLOW_TARGETS: config.ALLOW_TARGETS, ALLOW_HTTP: config.ALLOW_HTTP };
  const environments: Record<(typeof names)[number], NodeJS.ProcessEnv> = {
    contacts: { PUBLIC_URL: config.PUBLIC_URL ?? ownUrl(config) },
    users: { CALLER_SIGNING_KEY: keptKey(config.files.callerKey) },
    webhooks: {
      TOKEN_KEYS: config.TOKEN_KEYS ?? keptKey(config.files.tokenKeys),
      ...targets,
    },
    dispatcher: targets,
  };
  return names.map((name) =>
    nodeProcess({
      name,
      script: bundleOf(name),
      // Each connects as its own role.
      env: {
        ...environmentOf(name, config, backing),
        DATABASE_URL: backing.databaseUrls[name],
        ...environments[name],
      },
    }),
  );
}

export function gateway(
  config: LocalConfig,
  backing: Backing,
  onReady: (ready: { port?: number | undefined }) => void,
): Part {
  const env: NodeJS.ProcessEnv = {
    ...environmentOf('gateway', config, backing),
    NODE_ENV: config.NODE_ENV,
    HOST: config.HOST,
    PORT: String(config.PORT),
  };
  return nodeProcess({
    name: 'gateway',
    script: bundleOf('gateway'),
    env,
    onReady({ port }) {
      // A restart reuses the port that the operating system assigned.
      if (port !== undefined) env.PORT = String(port);
      onReady({ port });
    },
  });
}

/** Undefined while the operating system assigns the port: the services start before the gateway. */
const ownUrl = ({ HOST, PORT }: LocalConfig): string | undefined =>
  PORT > 0 ? `http://${addressFor(HOST)}:${PORT}` : undefined;

/** The host in URLs of a server that listens on `host`. */
export function addressFor(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1';
  return host.includes(':') ? `[${host}]` : host;
}

/** The bundles, which the image also runs. */
export const bundleOf = (name: string): string =>
  join(root, 'deploy', 'image', 'dist', 'bundles', `${name}.js`);

function environmentOf(
  name: string,
  config: LocalConfig,
  { natsUrl, natsKeys }: Backing,
): NodeJS.ProcessEnv {
  return {
    ...withoutDatabaseUrls(process.env),
    NATS_URL: natsUrl,
    ...(natsKeys !== undefined && {
      NATS_NKEY_SEED_FILE: seedFile(natsKeys, name),
      NATS_CREDENTIALS_FILE: '',
    }),
    CALLER_PUBLIC_KEYS: publicKeyOf(keptKey(config.files.callerKey)),
    LOG_LEVEL: config.LOG_LEVEL,
    // Migrations run before the services start.
    MIGRATE: 'false',
    // Five processes share this machine: each uses a free port.
    ADMIN_PORT: '0',
  };
}

/** The gateway receives no URL of a database, and a service only its own. */
const withoutDatabaseUrls = (env: NodeJS.ProcessEnv): NodeJS.ProcessEnv => {
  const others = ['DATABASE_URL', ...databaseUsers.map(urlVariable)];
  return Object.fromEntries(Object.entries(env).filter(([name]) => !others.includes(name)));
};

/** A secret key. Created once: without the key that encrypts webhook tokens, stored ones cannot be decrypted. */
function keptKey(file: string): string {
  const there = readIfThere(file);
  if (there !== undefined) return there.trim();
  const made = `local:${randomBytes(32).toString('base64')}`;
  writePrivateFile(file, `${made}\n`);
  return made;
}
