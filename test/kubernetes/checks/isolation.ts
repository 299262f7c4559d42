import { probe, type Target } from '../cluster/exec.js';
import { applyObjects, kubectl, kubectlJson } from '../cluster/kubectl.js';
import { nameLabel, namespace, outside } from '../cluster/names.js';
import { isOver, isReady, listPods, type Pod } from '../cluster/pods.js';
import { waitUntil } from '../cluster/wait-until.js';
import { PromiseViolated, type Journal } from '../journal.js';

interface Service {
  metadata: { name: string };
  spec: { clusterIP?: string; ports?: { name?: string; port: number; protocol?: string }[] };
}

const unrelatedInside = 'stranger-inside';

/** NetworkPolicies and Pod Security, as enforced by the cluster. */
export async function checkIsolation(journal: Journal, image: string): Promise<void> {
  const everywhere = await openPorts();
  const neighbour = await unrelatedTarget();
  await applyObjects([unrelatedPod(image)]);
  await waitUntil('the unrelated pod in the namespace', 60_000, async () =>
    (await listPods(namespace, 'app=stranger')).some(isReady),
  );
  const outsider = { namespace: outside, target: 'deploy/stranger' };

  // Without these two, a cluster without any connections would pass.
  await journal.check('a pod of another namespace reaches the HTTP port of the gateway', () =>
    judge(outsider, everywhere.filter(isGatewayHttp).map(expected(true))),
  );
  await journal.check('pods of that namespace reach each other', () =>
    judge({ namespace: outside, target: 'deploy/load' }, [neighbour].map(expected(true))),
  );
  await journal.check('a pod of another namespace reaches no other port', () =>
    judge(outsider, everywhere.filter((target) => !isGatewayHttp(target)).map(expected(false))),
  );
  await journal.check('a pod that does not belong to Roster reaches nothing in its namespace', () =>
    judge({ namespace, target: `pod/${unrelatedInside}` }, everywhere.map(expected(false))),
  );
  await kubectl(['delete', 'pod', unrelatedInside, '-n', namespace, '--wait=false']);

  const to = (name: string, port: number) =>
    everywhere.filter((target) => target.pod === name && target.port === port);
  const process = (name: string) => ({ namespace, target: `deploy/${name}` });
  for (const name of ['contacts', 'users', 'webhooks', 'dispatcher'])
    await journal.check(`${name} reaches PostgreSQL and NATS`, () =>
      judge(process(name), [...to('postgres', 5432), ...to('nats', 4222)].map(expected(true))),
    );
  await journal.check('the gateway reaches only NATS', async () => {
    const from = process('gateway');
    const nats = await judge(from, to('nats', 4222).map(expected(true)));
    const others = everywhere.filter(({ pod, port }) => pod !== 'gateway' && port !== 4222);
    return `${nats}; ${await judge(from, [...others, neighbour].map(expected(false)))}`;
  });
  await journal.check(
    'the dispatcher reaches no private address but its servers and the receiver of the demo',
    () => {
      const servers = [...to('postgres', 5432), ...to('nats', 4222)];
      const forbidden = everywhere.filter(
        (target) => !['dispatcher', 'receiver'].includes(target.pod) && !servers.includes(target),
      );
      return judge(process('dispatcher'), [...forbidden, neighbour].map(expected(false)));
    },
  );
  for (const name of ['contacts', 'users', 'webhooks'])
    await journal.check(`${name} reaches no other process and no external address`, () => {
      const others = everywhere.filter(({ pod }) => pod !== name && isProcessPort(pod));
      return judge(process(name), [...others, neighbour].map(expected(false)));
    });
}

export async function checkPodSecurity(journal: Journal, image: string): Promise<void> {
  const refused = async (what: string, change: object) =>
    journal.check(`Pod Security rejects ${what}`, async () => {
      const pod = unrelatedPod(image) as { spec: { containers: object[] }; metadata: object };
      Object.assign(pod.spec.containers[0]!, { securityContext: change });
      pod.metadata = { name: 'not-restricted', namespace };
      try {
        await kubectl(['create', '-f', '-'], { input: JSON.stringify(pod) });
      } catch (error) {
        const message = (error as Error).message;
        if (message.includes('violates PodSecurity')) return;
        throw error;
      }
      await kubectl(['delete', 'pod', 'not-restricted', '-n', namespace, '--wait=false']);
      throw new Error('the pod was accepted');
    });
  await refused('a privileged pod', { privileged: true });
  await refused('a pod that runs as root', { runAsUser: 0, runAsNonRoot: false });
}

interface OpenPort extends Omit<Target, 'open'> {
  /** The process behind an address. */
  pod: string;
}

/** Every port of every pod and Service in the namespace. */
async function openPorts(): Promise<OpenPort[]> {
  const pods = (await listPods(namespace)).filter(({ status }) => !isOver(status));
  const { items: services } = await kubectlJson<{ items: Service[] }>([
    'get',
    'services',
    '-n',
    namespace,
  ]);
  return [...pods.flatMap(portsOfPod), ...services.flatMap(portsOfService)];
}

function portsOfPod({ metadata, spec, status }: Pod): OpenPort[] {
  const pod = metadata.labels?.[nameLabel] ?? metadata.name;
  const ports = spec.containers.flatMap(({ ports }) => ports ?? []);
  return ports
    .filter(({ protocol = 'TCP' }) => protocol === 'TCP')
    .map(({ containerPort: port, name = '' }) => ({
      name: `pod ${metadata.name} ${name} ${port}`,
      pod,
      host: addressOf(metadata.name, status),
      port,
    }));
}

/** A pod without an address would be reported as closed. */
function addressOf(name: string, { podIP }: Pod['status']): string {
  if (!podIP) throw new Error(`pod ${name} has no address`);
  return podIP;
}

function portsOfService({ metadata, spec }: Service): OpenPort[] {
  // A headless Service has no address of its own, but those of its pods.
  if (!spec.clusterIP || spec.clusterIP === 'None') return [];
  return (spec.ports ?? []).map(({ port, name = '' }) => ({
    name: `service ${metadata.name} ${name} ${port}`,
    pod: metadata.name,
    host: spec.clusterIP!,
    port,
  }));
}

const isGatewayHttp = ({ pod, port }: OpenPort): boolean =>
  pod === 'gateway' && (port === 8080 || port === 80);

const isProcessPort = (pod: string): boolean => !['postgres', 'nats'].includes(pod);

const expected =
  (open: boolean) =>
  ({ name, host, port }: Omit<Target, 'open'>): Target => ({ name, host, port, open });

async function unrelatedTarget(): Promise<OpenPort> {
  const [pod] = await listPods(outside, 'app=stranger');
  if (!pod) throw new Error('there is no other pod');
  const host = addressOf(pod.metadata.name, pod.status);
  return { name: 'another pod', pod: 'stranger', host, port: 8080 };
}

async function judge(
  from: { namespace: string; target: string },
  targets: readonly Target[],
): Promise<string> {
  if (targets.length === 0) throw new Error('there are no targets');
  const found = await probe(from, targets);
  const violations = targets.flatMap(({ name, host, port, open }, index) =>
    found[index]!.open === open
      ? []
      : [`${name} (${host}:${port}) is ${open ? 'not reached' : 'reached'}`],
  );
  if (violations.length > 0) throw new PromiseViolated(violations);
  return `${targets.length} ports`;
}

/** A pod in the namespace that does not belong to Roster. */
const unrelatedPod = (image: string) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: unrelatedInside, namespace, labels: { app: 'stranger' } },
  spec: {
    automountServiceAccountToken: false,
    terminationGracePeriodSeconds: 1,
    restartPolicy: 'Never',
    securityContext: {
      runAsNonRoot: true,
      runAsUser: 65532,
      seccompProfile: { type: 'RuntimeDefault' },
    },
    containers: [
      {
        name: 'stranger',
        image,
        imagePullPolicy: 'IfNotPresent',
        command: ['node', '-e', 'setInterval(() => {}, 1e9)'],
        resources: { requests: { cpu: '5m', memory: '32Mi' }, limits: { memory: '192Mi' } },
        securityContext: {
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        },
      },
    ],
  },
});
