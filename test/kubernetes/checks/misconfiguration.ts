import { makeKeyPair } from '@roster/bus';
import { exec } from '../cluster/exec.js';
import { applyObjects, kubectl, kubectlJson } from '../cluster/kubectl.js';
import { namespace, type ProcessName } from '../cluster/names.js';
import { isReady, listPods, podsOf } from '../cluster/pods.js';
import { rolledOut } from '../cluster/rollout.js';
import { waitUntil } from '../cluster/wait-until.js';
import type { Journal } from '../journal.js';
import { undisturbedViolations } from '../judge/phase.js';
import type { UnderLoad } from './under-load.js';

const noticedWithinMs = 60_000;

interface Variable {
  name: string;
  value?: string;
  valueFrom?: object;
}
interface Container {
  name: string;
  env?: Variable[];
  envFrom?: object[];
}
interface Deployment {
  metadata: { name: string };
  spec: { template: { metadata: object; spec: { containers: Container[] } } };
}

interface Mistake {
  what: string;
  process: ProcessName;
  /** Changes the pod's environment. */
  environment: (env: Variable[]) => Variable[];
  /** Text that a line of its log, or the pod's status, must contain. */
  says: RegExp;
  /** Required state of the database of this test. */
  sql?: string;
  /** A command that corrects the mistake when run in the pod. */
  mend?: string[];
}

/** An additional pod with one mistake in its configuration: it is not ready, and one line reports the reason. */
export async function checkMistakes(journal: Journal): Promise<void> {
  await runSql('roster', `create database ${unmigrated}`);
  for (const mistake of mistakes(await databaseUrl('admin'))) {
    const { what, process, says, mend } = mistake;
    const pod = `mistaken-${process}`;
    const made = await journal.check(
      `${process} with ${what} is not ready, and one line reports the reason`,
      async () => {
        if (mistake.sql) await runSql(unmigrated, mistake.sql);
        await applyObjects([await mistakenPod(pod, mistake)]);
        return explained(pod, says);
      },
    );
    if (made && mend)
      await journal.check(`it is ready once \`${mend.join(' ')}\` has run`, async () => {
        await exec({ namespace, target: `pod/${pod}` }, mend);
        await kubectl(['wait', `pod/${pod}`, '-n', namespace, '--for=condition=Ready']);
      });
    await kubectl([
      'delete',
      'pod',
      pod,
      '-n',
      namespace,
      '--grace-period=1',
      '--ignore-not-found',
    ]);
  }
}

async function mistakenPod(name: string, { process, environment }: Mistake): Promise<object> {
  const deployment = ['deployment', process, '-n', namespace];
  const { template } = (await kubectlJson<Deployment>(['get', ...deployment])).spec;
  const [container] = template.spec.containers;
  container!.env = environment(container!.env ?? []);
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { ...template.metadata, name, namespace },
    spec: template.spec,
  };
}

/** The same mistake in a rollout, which stops at the first pod while the other pods continue to serve. */
export async function checkBadRollout(load: UnderLoad): Promise<void> {
  const wrong = withPassword(await databaseUrl('contacts'), 'wrong');
  const deployment = ['deployment/contacts', '-n', namespace];
  await load.phase(
    'a rollout with a wrong password stops, and fails no request',
    undisturbedViolations,
    async () => {
      await kubectl(['set', 'env', ...deployment, `DATABASE_URL=${wrong}`]);
      try {
        const pod = await waitUntil('a pod that is not ready', noticedWithinMs, async () =>
          (await podsOf('contacts')).find((pod) => !isReady(pod)),
        );
        return await explained(pod.metadata.name, /DATABASE_URL.*password/);
      } finally {
        await kubectl(['rollout', 'undo', ...deployment]);
        await rolledOut();
      }
    },
  );
}

const unmigrated = 'unmigrated';

const mistakes = (databaseUrl: string): Mistake[] => [
  {
    what: 'a wrong password of PostgreSQL',
    process: 'contacts',
    environment: (env) => set(env, 'DATABASE_URL', withPassword(databaseUrl, 'wrong')),
    says: /DATABASE_URL.*password/,
  },
  {
    what: 'an address at which no PostgreSQL listens',
    process: 'users',
    environment: (env) => set(env, 'DATABASE_URL', withHost(databaseUrl, '127.0.0.1:1')),
    says: /DATABASE_URL.*127\.0\.0\.1:1.*ECONNREFUSED/,
  },
  {
    what: 'a schema that is too old',
    process: 'contacts',
    environment: (env) =>
      set(set(env, 'DATABASE_URL', withDatabase(databaseUrl, unmigrated)), 'MIGRATE', 'false'),
    says: /schema contacts is too old.*roster migrate/,
    mend: ['roster', 'migrate'],
  },
  {
    what: 'a schema that is too new',
    process: 'contacts',
    sql: `create table if not exists contacts.required_migrations (name text primary key);
      insert into contacts.required_migrations values ('of_a_later_release')`,
    environment: (env) => set(env, 'DATABASE_URL', withDatabase(databaseUrl, unmigrated)),
    says: /schema contacts is too new.*of_a_later_release/,
  },
  {
    what: 'a malformed key for tokens',
    process: 'webhooks',
    environment: (env) => set(env, 'TOKEN_KEYS', 'first:too-short'),
    says: /TOKEN_KEYS/,
  },
  {
    what: 'a Secret that lacks a key',
    process: 'dispatcher',
    environment: (env) => [
      ...env.filter(({ name }) => name !== 'DATABASE_URL'),
      { name: 'DATABASE_URL', valueFrom: { secretKeyRef: { name: 'database', key: 'address' } } },
    ],
    says: /address in Secret roster\/database/,
  },
  {
    what: 'a key that NATS does not know',
    process: 'gateway',
    environment: (env) => set(env, 'NATS_NKEY_SEED', makeKeyPair().seed),
    says: /NATS_NKEY_SEED.*rejects the nkey/,
  },
  {
    what: 'no address of NATS',
    process: 'gateway',
    environment: (env) => env.filter(({ name }) => name !== 'NATS_URL'),
    says: /NATS_URL is missing/,
  },
];

/** Runs the command in the server's own pod, as a superuser. */
async function runSql(database: string, sql: string): Promise<void> {
  await exec({ namespace, target: 'statefulset/postgres' }, [
    ...['psql', '-U', 'roster', '-d', database, '-v', 'ON_ERROR_STOP=1', '-c', sql],
  ]);
}

const set = (env: Variable[], name: string, value: string): Variable[] => [
  ...env.filter((variable) => variable.name !== name),
  { name, value },
];

/** @param key of the Secret `database` */
async function databaseUrl(key: string): Promise<string> {
  const { data } = await kubectlJson<{ data: Record<string, string> }>([
    ...['get', 'secret', 'database', '-n', namespace],
  ]);
  return Buffer.from(data[key]!, 'base64').toString();
}

function changed(url: string, change: (parsed: URL) => void): string {
  const parsed = new URL(url);
  change(parsed);
  return parsed.href;
}

const withPassword = (url: string, password: string) =>
  changed(url, (parsed) => (parsed.password = password));
const withHost = (url: string, host: string) => changed(url, (parsed) => (parsed.host = host));
const withDatabase = (url: string, name: string) =>
  changed(url, (parsed) => (parsed.pathname = `/${name}`));

/** The first line that contains the text, while the pod is not ready. */
async function explained(pod: string, says: RegExp): Promise<string> {
  let seen = '';
  try {
    return await waitUntil('a line that reports the reason', noticedWithinMs, async () => {
      const [now] = (await listPods(namespace)).filter(({ metadata }) => metadata.name === pod);
      if (now && isReady(now)) throw new Error('the pod is ready');
      seen = [...(now?.status.containerStatuses ?? [])]
        .map(({ state }) => state?.waiting?.message ?? '')
        .concat(await logOf(pod))
        .join('\n');
      const line = seen.split('\n').find((text) => says.test(text));
      return line && messageOf(line);
    });
  } catch (error) {
    const log = seen.split('\n').slice(-8).join('\n');
    throw new Error(`${(error as Error).message}\n${log}`, { cause: error });
  }
}

/** Logs of the exited and of the restarted container. A container that never ran has none. */
async function logOf(pod: string): Promise<string> {
  const logs = await Promise.all(
    [['--previous'], []].map((which) =>
      kubectl(['logs', pod, '-n', namespace, '--tail=100', ...which]).catch(() => ({ stdout: '' })),
    ),
  );
  return logs.map(({ stdout }) => stdout).join('');
}

function messageOf(line: string): string {
  try {
    return (JSON.parse(line) as { msg: string }).msg;
  } catch {
    return line.trim();
  }
}
