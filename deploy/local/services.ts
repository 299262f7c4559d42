import { join } from 'node:path';

import type { LocalConfig } from './config.js';
import { root } from './home.js';
import { credentialsOf, keptKey, type Credentials, type ProcessName } from './credentials.js';
import { services as names, urlVariable, databaseUsers } from './database/database-user.js';
import { nodeProcess } from './supervision/node-process.js';
import type { Part } from './supervision/part.js';

export type Backing = Pick<Credentials, 'databaseUrls' | 'natsUrl' | 'natsKeys'>;

/** The processes behind the gateway. */
export function services(config: LocalConfig, backing: Backing): Part[] {
  // Allow receivers on this machine and without TLS, as used in development, in webhook URLs and for deliveries.
  const targets = { ALLOW_TARGETS: config.ALLOW_TARGETS, ALLOW_HTTP: config.ALLOW_HTTP };
  const publicUrl = config.PUBLIC_URL ?? ownUrl(config);
  const environments: Partial<Record<ProcessName, NodeJS.ProcessEnv>> = {
    contacts: { PUBLIC_URL: publicUrl },
    users: { PUBLIC_URL: publicUrl },
    webhooks: targets,
    dispatcher: targets,
  };
  return names.map((name) =>
    nodeProcess({
      name,
      script: bundleOf(name),
      env: { ...environmentOf(name, config, backing), ...environments[name] },
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
  name: ProcessName,
  config: LocalConfig,
  backing: Backing,
): NodeJS.ProcessEnv {
  return {
    ...withoutDatabaseUrls(process.env),
    ...credentialsOf(name, {
      ...backing,
      callerKey: keptKey(config.files.callerKey),
      tokenKeys: config.TOKEN_KEYS ?? keptKey(config.files.tokenKeys),
    }),
    LOG_LEVEL: config.LOG_LEVEL,
    // Five processes share this machine: each uses a free port.
    ADMIN_PORT: '0',
  };
}

/** The gateway receives no URL of a database, and a service only its own. */
const withoutDatabaseUrls = (env: NodeJS.ProcessEnv): NodeJS.ProcessEnv => {
  const others = ['DATABASE_URL', ...databaseUsers.map(urlVariable)];
  return Object.fromEntries(Object.entries(env).filter(([name]) => !others.includes(name)));
};
