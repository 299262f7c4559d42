import { connectBus, makeKeyPair, printServerUsers, type PublicKeys } from '@roster/bus';
import { eventStream, programNames } from '@roster/contracts';
import { certificatesFor, eventually, temporaryDirectory } from '@roster/testing';
import test, { type ExecutionContext } from 'ava';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { NatsProcess, componentServer, freePorts, type Ports } from './nats-process.js';

const serverCount = 3;
const silent = { debug: () => {}, warn: () => {}, error: () => {} };

/** Three servers with the configuration of the component `nats`, on loopback. */
async function clusterOf(t: ExecutionContext) {
  const folder = await temporaryDirectory(t);
  const { ca, server } = await certificatesFor(t, 'IP:127.0.0.1');
  const password = 'a1b2c3d4'.repeat(4);
  const pairs = programNames.map((name) => [name, makeKeyPair()] as const);
  const users = printServerUsers(
    Object.fromEntries(
      pairs.map(([name, pair]) => [name, [pair.publicKey]]),
    ) as unknown as PublicKeys,
  );
  const ports = await Promise.all(Array.from({ length: serverCount }, freePorts));
  const servers: NatsProcess[] = [];
  for (const [index, own] of ports.entries()) {
    const name = `nats-${index}`;
    const files = { ca, ...server, users };
    servers.push(
      await componentServer(t, { folder: join(folder, name), name, own, ports, password, files }),
    );
  }
  await eventually(async () => {
    const all = await Promise.all(servers.map((one) => one.routes()));
    return all.every((routes) => new Set(routes).size === serverCount - 1);
  });
  const seeds = Object.fromEntries(pairs.map(([name, { seed }]) => [name, seed]));
  return { folder, ports, servers, password, ca, server, seeds };
}

/** Routes to all servers of a cluster. */
const routesTo = (ports: readonly Ports[], user = '') =>
  ports.map(({ cluster }) => `nats://${user}127.0.0.1:${cluster}`);

test('servers of the component form a cluster, whose clients use TLS and their nkeys', async (t) => {
  const { ports, servers, ca, seeds } = await clusterOf(t);
  const url = ports.map(({ client }) => `tls://127.0.0.1:${client}`).join(',');
  const options = { servers: url, name: 'users', log: silent };
  const credentials = { nkeySeed: seeds['users']! };
  const bus = await connectBus({ ...options, credentials, tls: { caFile: ca } });
  t.teardown(() => bus.close());
  await eventually(() => bus.openEvents({ replicas: serverCount, maxAgeSeconds: 3600 }));
  const manager = await bus.link.nats.jetstreamManager({ checkAPI: false });
  t.is((await manager.streams.info(eventStream)).config.num_replicas, serverCount);
  await t.throwsAsync(connectBus({ ...options, credentials }), { message: /untrusted/ });
  await t.throwsAsync(connectBus({ ...options, tls: { caFile: ca } }), { message: /rejects/ });
  t.is(servers.length, serverCount);
});

test('a server joins the cluster only with the password of the routes and a certificate of the authority', async (t) => {
  const { folder, ports, servers, password, server } = await clusterOf(t);
  const other = await certificatesFor(t, 'IP:127.0.0.1');
  const user = `routes:${password}@`;
  // What an attacker configures: it accepts any server.
  const tls = (files: { cert: string; key: string }) => ({
    tls: { cert_file: files.cert, key_file: files.key, insecure: true },
  });
  const strangers = {
    'without-password': { routes: routesTo(ports), ...tls(server) },
    'with-another-password': { routes: routesTo(ports, 'routes:guessed@'), ...tls(server) },
    'without-tls': { routes: routesTo(ports, user) },
    'with-another-authority': { routes: routesTo(ports, user), ...tls(other.server) },
  };
  for (const [name, cluster] of Object.entries(strangers)) {
    const before = servers.map((one) => one.refusals);
    const stranger = await NatsProcess.start(t, join(folder, name), await freePorts(), (own) =>
      JSON.stringify({
        server_name: name,
        listen: `127.0.0.1:${own.client}`,
        http: `127.0.0.1:${own.monitor}`,
        cluster: { name: 'roster', listen: `127.0.0.1:${own.cluster}`, ...cluster },
      }),
    );
    // Each server has refused it.
    await eventually(() => servers.every((one, index) => one.refusals > before[index]!));
    for (const one of servers) t.false((await one.routes()).includes(name), name);
    t.deepEqual(await stranger.routes(), [], name);
  }
  const welcome = await NatsProcess.start(t, join(folder, 'welcome'), await freePorts(), (own) =>
    JSON.stringify({
      server_name: 'welcome',
      listen: `127.0.0.1:${own.client}`,
      http: `127.0.0.1:${own.monitor}`,
      cluster: {
        name: 'roster',
        listen: `127.0.0.1:${own.cluster}`,
        routes: routesTo(ports, user),
        ...tls(server),
      },
    }),
  );
  await eventually(async () => new Set(await welcome.routes()).size === serverCount);
  t.pass();
});

test('no password of a route is in the ConfigMap, and the monitoring of NATS shows none', async (t) => {
  const { servers, password } = await clusterOf(t);
  for (const page of ['varz', 'routez', 'connz', 'healthz'])
    t.notRegex(await servers[0]!.monitoring(page), new RegExp(password), page);
  const conf = new URL('../../../deploy/kubernetes/components/nats/nats.conf', import.meta.url);
  t.notRegex(await readFile(conf, 'utf8'), /password:/);
});
