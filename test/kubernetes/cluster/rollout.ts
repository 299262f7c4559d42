import { kubectl } from './kubectl.js';
import { namespace, processes } from './names.js';
import { isOver, isReady, listPods, podsOf } from './pods.js';
import { waitUntil } from './wait-until.js';

const rolloutTimeoutMs = 300_000;

/** Waits until the last change of every Deployment is rolled out. */
export async function rolledOut(): Promise<void> {
  await Promise.all(
    processes.map((name) =>
      kubectl(['rollout', 'status', `deployment/${name}`, '-n', namespace, '--timeout=300s'], {
        timeoutMs: rolloutTimeoutMs + 10_000,
      }),
    ),
  );
}

/** For every process: the autoscalers of some add the second pod later. */
const replicasMin = 2;

/**
 * Waits until every pod of the namespace is ready or completed, none is terminating, and every process has at least
 * two pods.
 */
export async function everythingReady(timeoutMs: number): Promise<void> {
  let missing = '';
  try {
    await waitUntil('every pod to be ready', timeoutMs, async () => {
      const pods = (await listPods(namespace)).filter((pod) => !isOver(pod.status));
      const waiting = pods.filter((pod) => !isReady(pod) || pod.metadata.deletionTimestamp);
      missing = waiting.map((pod) => pod.metadata.name).join(', ');
      const ready = await Promise.all(
        processes.map(async (name) => (await podsOf(name)).filter(isReady).length),
      );
      return waiting.length === 0 && ready.every((count) => count >= replicasMin);
    });
  } catch {
    throw new Error(
      `Not ready within ${Math.round(timeoutMs / 1000)} s: ${missing || 'pods that were not created'}`,
    );
  }
}
