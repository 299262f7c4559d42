import { readFile } from 'node:fs/promises';
import { exec } from '../cluster/exec.js';
import { kubectl, kubectlJson } from '../cluster/kubectl.js';
import type { ManifestCopy } from '../cluster/manifests.js';
import { nameLabel, namespace, processes } from '../cluster/names.js';
import { isReady, podsOf, type Pod } from '../cluster/pods.js';
import { migratedBy } from '../cluster/migration.js';
import { everythingReady, rolledOut } from '../cluster/rollout.js';
import { waitUntil } from '../cluster/wait-until.js';
import type { Journal } from '../journal.js';
import { failureViolations, undisturbedViolations } from '../judge/phase.js';
import type { UnderLoad } from './under-load.js';

const applyTimeoutMs = 120_000;
const readyTimeoutMs = 180_000;
const evictionTimeoutMs = 180_000;
const overlay = 'test/kubernetes/overlay';

/** A release: an image, and the manifests that reference it. */
export interface Release {
  image: string;
  manifests: ManifestCopy;
}

/** Regular operations, during which no request may fail. */
export async function checkOperations(
  load: UnderLoad,
  journal: Journal,
  { first, next }: { first: Release; next: Release | undefined },
): Promise<void> {
  await load.phase(
    'with nothing happening, no request fails',
    undisturbedViolations,
    async () => {},
  );
  if (next)
    await load.phase(
      'a rolling update to another tag fails no request',
      undisturbedViolations,
      () => release(next, [first, next]),
    );
  else
    await load.phase('a rolling restart fails no request', undisturbedViolations, async () => {
      await kubectl(['rollout', 'restart', 'deployment', '-n', namespace, ...processes]);
      await rolledOut();
    });
  await load.phase(
    'evicting every process, as a drain does, fails no request',
    undisturbedViolations,
    () => evictAll(),
  );
  await load.phase(
    'deleting a pod of every process fails no request',
    undisturbedViolations,
    async () => {
      for (const name of processes) {
        const { metadata } = await onePodOf(name);
        await kubectl(['delete', 'pod', metadata.name, '-n', namespace, '--wait=false']);
      }
      await everythingReady(readyTimeoutMs);
    },
  );
  if (next)
    await load.phase('a rollback to the former tag fails no request', undisturbedViolations, () =>
      release(first, [first, next]),
    );
  else
    for (const promise of ['a rolling update', 'a rollback'])
      journal.skip(promise, 'only one image is available: set IMAGE_NEXT to another');
}

/** Updates or rolls back as an operator does: applies the overlay with the image. */
async function release(to: Release, migrated: readonly Release[]): Promise<string> {
  await kubectl(['apply', '-k', to.manifests.path(overlay)], { timeoutMs: applyTimeoutMs });
  await rolledOut();
  await everyProcessRuns(to.image);
  await migratedBy(migrated.map(({ image }) => image));
  return to.image;
}

/** Failures: requests may fail, with errors that tell callers to retry, and no change may be lost. */
export async function checkAccidents(load: UnderLoad): Promise<void> {
  for (const name of processes)
    await load.phase(`a crash of ${name} loses nothing`, failureViolations, async () => {
      const pod = await onePodOf(name);
      const before = restartsOf(pod);
      await crash(pod.metadata.name);
      await waitUntil('the container to be restarted', readyTimeoutMs, async () =>
        (await podsOf(name)).some(
          (now) => now.metadata.name === pod.metadata.name && restartsOf(now) > before,
        ),
      );
      await everythingReady(readyTimeoutMs);
    });
  for (const name of ['nats', 'postgres'])
    await load.phase(`a kill of ${name} loses nothing`, failureViolations, async () => {
      const { metadata } = await onePodOf(name);
      // Not with --force: a second server could then start on the volume before the first one has exited.
      await kubectl(['delete', 'pod', metadata.name, '-n', namespace, '--grace-period=1']);
      // Until the new pod is created, no pod would be counted as unready.
      await waitUntil('the replacement pod', readyTimeoutMs, async () =>
        (await podsOf(name)).some((now) => now.metadata.uid !== metadata.uid && isReady(now)),
      );
      await everythingReady(readyTimeoutMs);
    });
}

async function onePodOf(name: string): Promise<Pod> {
  const [pod] = await podsOf(name);
  if (!pod) throw new Error(`${name} has no pod`);
  return pod;
}

const restartsOf = ({ status }: Pod): number => status.containerStatuses?.[0]?.restartCount ?? 0;

/** Kills the first process of a container immediately, see pods/crash.ts. */
async function crash(pod: string): Promise<void> {
  const program = await readFile(new URL('../pods/crash.js', import.meta.url), 'utf8');
  const command = ['node', '--input-type=module', '-'];
  // The command is terminated together with the container.
  await exec({ namespace, target: `pod/${pod}` }, command, program).catch(() => undefined);
}

async function everyProcessRuns(image: string): Promise<void> {
  for (const name of processes) {
    const images = (await podsOf(name)).flatMap(({ spec }) =>
      spec.containers.map(({ image }) => image),
    );
    if (images.length === 0 || images.some((other) => other !== image))
      throw new Error(`${name} runs ${images.join(', ') || 'nothing'}, not ${image}`);
  }
}

/**
 * Evicts the pods of every process, and retries while a PodDisruptionBudget rejects an eviction. `kubectl drain` does
 * the same, but also cordons the node: in a cluster with a single node, the pods could not be scheduled again.
 */
async function evictAll(): Promise<string> {
  const nodes = await kubectlJson<{ items: { metadata: { name: string } }[] }>(['get', 'nodes']);
  const pods = (await Promise.all(processes.map(podsOf))).flat();
  if (nodes.items.length > 1) {
    const node = pods[0]!.spec.nodeName!;
    try {
      await kubectl(
        [
          ...['drain', node, '--ignore-daemonsets', '--delete-emptydir-data', '--timeout=300s'],
          ...['--pod-selector', `${nameLabel} in (${processes.join(',')})`],
        ],
        { timeoutMs: 310_000 },
      );
    } finally {
      await kubectl(['uncordon', node]);
    }
  }
  let refused = 0;
  const left = new Set((await Promise.all(processes.map(podsOf))).flat().map(nameOf));
  const evicted = left.size;
  await waitUntil('every pod to be evicted', evictionTimeoutMs, async () => {
    for (const pod of left) {
      if (await evict(pod)) left.delete(pod);
      else refused += 1;
    }
    return left.size === 0;
  });
  await everythingReady(readyTimeoutMs);
  return `${evicted} evicted, ${refused} evictions rejected by a budget`;
}

const nameOf = ({ metadata }: { metadata: { name: string } }): string => metadata.name;

/** False if a PodDisruptionBudget does not allow the eviction now. */
async function evict(name: string): Promise<boolean> {
  const input = JSON.stringify({
    apiVersion: 'policy/v1',
    kind: 'Eviction',
    metadata: { name, namespace },
  });
  const path = `/api/v1/namespaces/${namespace}/pods/${name}/eviction`;
  try {
    await kubectl(['create', '--raw', path, '-f', '-'], { input });
    return true;
  } catch (error) {
    const message = (error as Error).message;
    if (/not found/i.test(message)) return true;
    if (/disruption budget|TooManyRequests|too many requests/i.test(message)) return false;
    throw error;
  }
}
