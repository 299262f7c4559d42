import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { once } from 'node:events';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect, createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '@roster/testing';
import test, { type ExecutionContext } from 'ava';
import { receiverFor } from '../receiver.js';
import { runDispatcher } from '../running-dispatcher.js';

const command = '/usr/sbin/squid';
const withSquid = existsSync(command) ? test : test.skip;
if (withSquid !== test) console.log(`A test with Squid is skipped: there is no ${command}.`);

/** Attempts of each webhook, before and while Squid is away. */
const before = 30;
const meanwhile = 10;
const kills = 2;

withSquid('loses no delivery and fails no webhook when Squid is killed under load', async (t) => {
  const squid = await squidFor(t);
  const running = await runDispatcher(t, {
    DELIVERY_PROXY: squid.url,
    RETRY_SCHEDULE_SECONDS: '3600',
    CIRCUIT_OPEN_SECONDS: '600',
    CIRCUIT_OPEN_SECONDS_MAX: '600',
  });
  // Some connections are used again, and others end with their answer.
  const receivers = await Promise.all(
    ['keep-alive', 'close', 'keep-alive'].map((connection) =>
      receiverFor(t, (response) => {
        setTimeout(() => response.writeHead(200, { connection }).end(), 10);
      }),
    ),
  );
  const webhooks = receivers.map(({ url }) => running.addWebhook(url));
  const events: string[] = [];
  const publish = async (count: number) => {
    for (let n = 0; n < count; n += 1) events.push((await running.publish()).id);
  };
  const hits = () => receivers.reduce((sum, receiver) => sum + receiver.hits.length, 0);
  for (let kill = 0; kill < kills; kill += 1) {
    const enough = hits() + before;
    const published = publish(before);
    await eventually(() => hits() >= enough);
    await squid.kill();
    await published;
    await publish(meanwhile);
    await squid.start();
  }
  for (const id of events)
    for (const webhook of webhooks) {
      const row = await eventually(async () => {
        const found = await running.delivery(id, webhook);
        return found?.status === 'delivered' && found;
      });
      t.like(row.attempts, { length: 1, 0: { statusCode: 200, errorClass: null } });
    }
  const opened = 'roster_delivery_tunnels_total{outcome="opened",service="dispatcher"}';
  t.true((await running.metric(opened)) > kills * webhooks.length);
});

/** Squid on a free port of loopback, which connects to loopback only. */
async function squidFor(t: ExecutionContext) {
  const folder = await mkdtemp(join(tmpdir(), 'roster-squid-'));
  // Started by root, it becomes another user.
  await chmod(folder, 0o777);
  const port = await freePort();
  const file = join(folder, 'squid.conf');
  await writeFile(file, configuration(port, folder));
  let process: ChildProcess | undefined;
  const squid = {
    url: `http://127.0.0.1:${port}`,
    async start() {
      process = spawn(command, ['-N', '-f', file], { stdio: 'ignore' });
      await eventually(() => accepts(port));
    },
    async kill() {
      const killed = process;
      process = undefined;
      if (!killed?.kill('SIGKILL')) return;
      await once(killed, 'exit');
    },
  };
  t.teardown(async () => {
    await squid.kill();
    await rm(folder, { recursive: true, force: true });
  });
  await squid.start();
  return squid;
}

const configuration = (port: number, folder: string): string => `
http_port 127.0.0.1:${port}
acl loopback dst 127.0.0.0/8
http_access allow CONNECT loopback
http_access deny all
visible_hostname localhost
pid_filename none
access_log none
cache_log ${folder}/cache.log
cache_store_log none
coredump_dir ${folder}
netdb_filename none
pinger_enable off
cache deny all
cache_mem 0 MB
max_filedescriptors 1024
`;

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

async function accepts(port: number): Promise<boolean> {
  const socket = connect({ port, host: '127.0.0.1' });
  try {
    await once(socket, 'connect');
    return true;
  } finally {
    socket.destroy();
  }
}
