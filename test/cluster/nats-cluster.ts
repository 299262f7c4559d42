import { once } from 'node:events';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { connect as connectTcp } from 'node:net';
import { join } from 'node:path';
import { connect as connectTls } from 'node:tls';
import { makeKeyPair, type ServerUser } from '@roster/bus';
import { eventStream } from '@roster/contracts';
import { freePort, startNats, type EmbeddedServer } from '@roster/embedded';
import { certificatesIn, eventually, type Certificates } from '@roster/testing';
import {
  connect,
  nkeyAuthenticator,
  type JetStreamManager,
  type NatsConnection,
  type StreamInfo,
} from 'nats';

export const nodeNames = ['nats-1', 'nats-2', 'nats-3'] as const;
export type NodeName = (typeof nodeNames)[number];

interface Node {
  name: NodeName;
  dataDir: string;
  port: number;
  clusterPort: number;
  /** Undefined while it is down. */
  server: EmbeddedServer | undefined;
  onReload?: () => void;
}

interface Parts {
  nodes: Node[];
  users: readonly object[];
  certificates: Certificates;
  /** Folder of the certificates. */
  home: string;
  log: (line: string) => void;
}

/** Of the certificate of all servers. Clients that are given a socket, or no host, compare with localhost. */
const names = 'IP:127.0.0.1,DNS:localhost';

const electionTimeoutMs = 60_000;

const observerInbox = '_INBOX.observer';
/** A user of the test, which reads the state of the stream. */
const observing = {
  publish: { allow: ['$JS.API.INFO', `$JS.API.STREAM.INFO.${eventStream}`] },
  subscribe: { allow: [`${observerInbox}.>`] },
};

/** Three NATS servers in a cluster, with JetStream. */
export class NatsCluster {
  /** The URLs of all nodes, as given to clients. */
  readonly url: string;
  readonly #nodes: Map<NodeName, Node>;
  readonly certificates: Certificates;
  #users: readonly object[];
  readonly #home: string;
  readonly #log: (line: string) => void;
  #observer: NatsConnection | undefined;

  private constructor(parts: Parts) {
    const { nodes, users, certificates, home, log } = parts;
    this.#users = users;
    this.certificates = certificates;
    this.#home = home;
    this.#nodes = new Map(nodes.map((node) => [node.name, node]));
    this.url = nodes.map(({ port }) => `tls://127.0.0.1:${port}`).join(',');
    this.#log = log;
  }

  /** Resolves when streams can be created. */
  static async start(
    home: string,
    users: readonly ServerUser[],
    log: (line: string) => void,
  ): Promise<NatsCluster> {
    const { seed, publicKey } = makeKeyPair();
    const observer = { nkey: publicKey, permissions: observing };
    const nodes: Node[] = [];
    for (const name of nodeNames) {
      const [port, clusterPort] = [await freePort(), await freePort()];
      nodes.push({ name, dataDir: join(home, name), port, clusterPort, server: undefined });
    }
    const folder = join(home, 'nats-tls');
    await mkdir(folder);
    const certificates = await certificatesIn(folder, names);
    const parts = { nodes, users: [...users, observer], certificates, home: folder, log };
    const cluster = new NatsCluster(parts);
    try {
      await Promise.all(nodeNames.map((name) => cluster.startNode(name)));
      const servers = nodes.map(({ port }) => `127.0.0.1:${port}`);
      cluster.#observer = await connect({
        servers,
        authenticator: nkeyAuthenticator(Buffer.from(seed)),
        tls: { caFile: certificates.ca },
        inboxPrefix: observerInbox,
        maxReconnectAttempts: -1,
        reconnectTimeWait: 100,
      });
      await eventually(async () => (await cluster.#manager()).getAccountInfo(), {
        timeoutMs: electionTimeoutMs,
        describe: 'JetStream to have a leader',
      });
      return cluster;
    } catch (error) {
      await cluster.stop();
      throw error;
    }
  }

  async startNode(name: NodeName): Promise<void> {
    const node = this.#nodes.get(name)!;
    const others = [...this.#nodes.values()].filter((other) => other !== node);
    node.server = await startNats({
      dataDir: node.dataDir,
      port: node.port,
      users: this.#users,
      cluster: {
        name,
        port: node.clusterPort,
        ports: others.map((other) => other.clusterPort),
        tls: { ca: this.certificates.ca, ...this.certificates.server },
      },
      log: (line) => {
        if (line.includes('Reloaded server configuration')) node.onReload?.();
        this.#log(`${name} ${line}`);
      },
    });
  }

  async killNode(name: NodeName): Promise<void> {
    const node = this.#nodes.get(name)!;
    const { server } = node;
    node.server = undefined;
    server?.kill('SIGKILL');
    await server?.exited;
  }

  /** Replaces the certificate of the servers, which they read when they are started again. */
  async renewCertificates(): Promise<void> {
    await certificatesIn(this.#home, names);
  }

  /** The SHA-256 of the certificate that a server shows. */
  async fingerprint(name: NodeName): Promise<string> {
    const { port } = this.#nodes.get(name)!;
    // Servers of NATS begin with a line in plain text.
    const socket = connectTcp(port, '127.0.0.1');
    try {
      await once(socket, 'data');
      socket.pause();
      const secure = connectTls({ socket, ca: await readFile(this.certificates.ca) });
      await once(secure, 'secureConnect');
      return secure.getPeerCertificate().fingerprint256;
    } finally {
      socket.destroy();
    }
  }

  /** Ends a server as Kubernetes does: it hands over what it leads, disconnects clients one by one, and exits. Then starts it again. */
  async restartNode(name: NodeName): Promise<void> {
    const node = this.#nodes.get(name)!;
    node.server!.kill('SIGUSR2');
    await node.server!.exited;
    node.server = undefined;
    await this.startNode(name);
    await this.inSync();
  }

  /** Replaces the users of all servers, without a restart. */
  async changeUsers(users: readonly ServerUser[]): Promise<void> {
    const [observer] = this.#users.slice(-1);
    this.#users = [...users, observer!];
    for (const node of this.#nodes.values()) {
      const file = join(node.dataDir, 'nats.conf');
      const config = JSON.parse(await readFile(file, 'utf8')) as object;
      await writeFile(file, JSON.stringify({ ...config, authorization: { users: this.#users } }));
      const reloaded = Promise.withResolvers<void>();
      node.onReload = reloaded.resolve;
      node.server!.kill('SIGHUP');
      await reloaded.promise;
    }
  }

  /** Waits until the stream of events has a leader other than `former`, and returns its name. */
  async leader(former?: NodeName): Promise<NodeName> {
    return eventually(
      async () => {
        const leader = (await this.#stream()).cluster?.leader as NodeName | undefined;
        return leader === former ? undefined : leader;
      },
      { timeoutMs: electionTimeoutMs, describe: `a leader of the stream other than ${former}` },
    );
  }

  /** Waits until every replica of the stream, or all but those on nodes that are down, has caught up with the leader. */
  async inSync(): Promise<void> {
    const up = [...this.#nodes.values()].filter(({ server }) => server).length;
    await eventually(
      async () => {
        const { cluster } = await this.#stream();
        const current = cluster?.replicas?.filter((replica) => replica.current && !replica.offline);
        return cluster?.leader && current?.length === up - 1;
      },
      { timeoutMs: electionTimeoutMs, describe: `${up} replicas of the stream to be in sync` },
    );
  }

  async stop(): Promise<void> {
    await this.#observer?.close();
    await Promise.all([...this.#nodes.values()].map(async ({ server }) => server?.stop()));
  }

  #manager(): Promise<JetStreamManager> {
    return this.#observer!.jetstreamManager({ checkAPI: false, timeout: 2000 });
  }

  async #stream(): Promise<StreamInfo> {
    return (await this.#manager()).streams.info(eventStream);
  }
}
