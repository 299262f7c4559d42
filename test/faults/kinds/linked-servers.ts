import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startNats, startPostgres } from '@roster/embedded';
import { ClosedSystem } from '@roster/local/closed-system';
import { TcpProxy } from '@roster/testing';

/** PostgreSQL and NATS, each behind a proxy that all processes connect to. */
export interface LinkedServers {
  links: Record<'postgres' | 'nats', TcpProxy>;
  /** Variables of the processes: servers behind their proxies. */
  env: Record<string, string>;
  /** The URL of a superuser, without the proxy. */
  databaseUrl: string;
  stop(): Promise<void>;
}

/** Runs on new servers, which are removed afterwards. */
export async function withLinkedServers<Result>(
  run: (servers: LinkedServers) => Promise<Result>,
): Promise<Result> {
  const servers = await startLinkedServers();
  try {
    return await run(servers);
  } finally {
    await servers.stop();
  }
}

async function startLinkedServers(): Promise<LinkedServers> {
  const home = await mkdtemp(join(tmpdir(), 'roster-servers-'));
  const log = createWriteStream(join(home, 'servers.log'));
  const write = (line: string) => void log.write(`${line}\n`);
  const closed = new ClosedSystem(home);
  const [postgres, nats] = await Promise.all([
    startPostgres({ dataDir: join(home, 'postgres'), log: write }),
    startNats({ dataDir: join(home, 'nats'), users: closed.natsUsers, log: write }),
  ]);
  const linkTo = ({ port }: { port: number }) => TcpProxy.start({ host: '127.0.0.1', port });
  const links = { postgres: await linkTo(postgres), nats: await linkTo(nats) };
  const through = (url: string, { port }: TcpProxy) => {
    const proxied = new URL(url);
    proxied.port = String(port);
    return proxied.href;
  };
  await closed.createRoles(through(postgres.url, links.postgres));
  return {
    links,
    env: closed.environmentOfStart(through(nats.url, links.nats)),
    databaseUrl: postgres.url,
    async stop() {
      for (const link of Object.values(links)) link.stop();
      await Promise.all([postgres.stop(), nats.stop()]);
      log.end();
      await rm(home, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
    },
  };
}
