/** Secrets and servers that are replaced under load, in the steps of deploy/README.md. No request may fail. */
import { randomBytes } from 'node:crypto';
import { appendFile, copyFile, readFile } from 'node:fs/promises';
import { ClosedSystem } from '@roster/local/closed-system';
import { publicKeyOf } from '@roster/process';
import { certificatesIn, eventually } from '@roster/testing';
import pg from 'pg';
import type { Phase } from './cluster-run.js';
import { nodeNames } from './nats-cluster.js';
import { roll } from './phases.js';
import { postgresNames } from './postgres-pair.js';
import { processNames, thisRelease, type ProcessName } from './release.js';
import type { RunningCluster } from './running-cluster.js';

type Print = (line: string) => void;

export const restartNats: Phase = {
  name: 'certificates of NATS renewed, its servers restarted in turn',
  strict: true,
  async act({ nats }, print) {
    const former = await nats.fingerprint('nats-1');
    await nats.renewCertificates();
    for (const name of nodeNames) {
      await nats.restartNode(name);
      if ((await nats.fingerprint(name)) === former)
        throw new Error(`${name} shows its former certificate.`);
      print(`  ${name} restarted with the new certificate`);
    }
  },
};

export const rotateNkeys: Phase = {
  name: 'nkeys rotated',
  strict: true,
  async act(cluster, print) {
    const next = new ClosedSystem(await cluster.newFolder());
    await cluster.nats.changeUsers([...cluster.natsUsers, ...next.natsUsers]);
    print('  servers know the former and the new keys');
    for (const name of processNames) {
      cluster.change(name, next.seedOf(name));
    }
    await replace(cluster, processNames, print);
    await cluster.nats.changeUsers(next.natsUsers);
    print('  servers know the new keys only');
  },
};

export const rotateCallerKeys: Phase = {
  name: 'caller keys rotated',
  strict: true,
  async act(cluster, print) {
    const former = cluster.environmentOf('gateway').CALLER_PUBLIC_KEYS!;
    const key = newKey();
    const publicKey = publicKeyOf(key);
    const publish = (keys: string) => {
      for (const name of processNames) cluster.change(name, { CALLER_PUBLIC_KEYS: keys });
    };
    publish(`${former},${publicKey}`);
    await replace(cluster, processNames, print);
    cluster.change('users', { CALLER_SIGNING_KEY: key });
    await replace(cluster, ['users'], print);
    // In place of the hour in which statements and browser tokens of the former key end: new gateways have none.
    await replace(cluster, ['gateway'], print);
    publish(publicKey);
    await replace(cluster, processNames, print);
  },
};

export const rotateTokenKeys: Phase = {
  name: 'token keys rotated',
  strict: true,
  async act(cluster, print) {
    const former = cluster.environmentOf('webhooks').TOKEN_KEYS!;
    const key = newKey();
    for (const keys of [`${former},${key}`, `${key},${former}`]) {
      cluster.change('webhooks', { TOKEN_KEYS: keys });
      await replace(cluster, ['webhooks'], print);
    }
    const [id] = former.split(':');
    await eventually(async () => (await tokensOf(cluster, id!)) === 0, {
      timeoutMs: 60_000,
      describe: 'all tokens to be encrypted with the new key',
    });
    print('  all tokens are encrypted with the new key');
    cluster.change('webhooks', { TOKEN_KEYS: key });
    await replace(cluster, ['webhooks'], print);
  },
};

export const rotatePasswords: Phase = {
  name: 'passwords of PostgreSQL rotated',
  strict: true,
  async act(cluster, print) {
    const services = processNames.filter((name) => name !== 'gateway');
    for (const name of services) {
      const password = randomBytes(24).toString('hex');
      await statement(
        cluster,
        `create role roster_${name}_b login password '${password}' in role roster_${name}`,
      );
      const url = new URL(cluster.environmentOf(name).DATABASE_URL!);
      url.username = `roster_${name}_b`;
      url.password = password;
      cluster.change(name, { DATABASE_URL: url.href });
    }
    await replace(cluster, services, print);
    for (const name of services) {
      const password = randomBytes(24).toString('hex');
      await statement(cluster, `alter role roster_${name} password '${password}'`);
    }
    print('  the former passwords have ended');
  },
};

export const rotatePostgresAuthority: Phase = {
  name: 'certificates and authority of PostgreSQL rotated',
  strict: true,
  async act(cluster, print) {
    const services = processNames.filter((name) => name !== 'gateway');
    const file = cluster.postgresAuthorities;
    const { ca, server } = await certificatesIn(await cluster.newFolder(), postgresNames);
    await appendFile(file, await readFile(ca));
    await replace(cluster, services, print);
    await cluster.postgres.present(server);
    await eventually(() => isTrusted(cluster, ca), {
      timeoutMs: 30_000,
      describe: 'PostgreSQL to show its new certificate',
    });
    print('  PostgreSQL shows a certificate of the new authority');
    await copyFile(ca, file);
    await replace(cluster, services, print);
  },
};

/** By name, so that each can be run alone. */
export const rotations = {
  nats: restartNats,
  nkeys: rotateNkeys,
  'caller-keys': rotateCallerKeys,
  'token-keys': rotateTokenKeys,
  passwords: rotatePasswords,
  'postgres-authority': rotatePostgresAuthority,
};

/** Replaces the replicas of these processes one after the other: several starts at once would starve a small machine. */
function replace(
  cluster: RunningCluster,
  names: readonly ProcessName[],
  print: Print,
): Promise<void> {
  const groups = cluster.replicas
    .filter(({ name }) => names.includes(name))
    .map((replica) => [replica]);
  return roll(cluster, groups, thisRelease, print);
}

let keys = 0;

/** A secret key with an ID of its own. */
const newKey = (): string => `k${(keys += 1)}:${randomBytes(32).toString('base64')}`;

async function tokensOf(cluster: RunningCluster, keyId: string): Promise<number> {
  const [row] = await statement<{ tokens: string }>(
    cluster,
    `select count(*) as tokens from webhooks.webhooks where split_part(token_ciphertext, '.', 1) = '${keyId}'`,
  );
  return Number(row!.tokens);
}

/** Whether a connection that trusts one authority only is accepted. */
async function isTrusted({ databaseUrl }: RunningCluster, authority: string): Promise<boolean> {
  const client = new pg.Client({
    connectionString: databaseUrl,
    ssl: { ca: await readFile(authority) },
  });
  try {
    await client.connect();
    return true;
  } catch {
    return false;
  } finally {
    await client.end();
  }
}

async function statement<Row extends pg.QueryResultRow>(
  { databaseUrl }: RunningCluster,
  text: string,
): Promise<Row[]> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    return (await client.query<Row>(text)).rows;
  } finally {
    await client.end();
  }
}
