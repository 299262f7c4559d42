import type { IDeployment, IStatefulSet } from 'kubernetes-models/apps/v1';
import type { IPodDisruptionBudget } from 'kubernetes-models/policy/v1';

import type { Manifests } from '../build/manifests.js';
import { podsOf } from '../build/pods.js';
import { autoscalersOf } from './autoscalers.js';
import { environmentOf } from '../processes/environment.js';
import { finding, nameOf } from '../objects/finding.js';
import { selects } from '../objects/label-selector.js';
import { processesOf, serverNames } from '../processes/processes.js';

/**
 * The time in which a process completes requests in flight (libs/process), and a margin for the start of the
 * shutdown.
 */
const drainSeconds = 10;
const spareSeconds = 2;

/** Rollouts and drains that stop pods too early, stop too many at once, or never finish. */
export function rolloutFindings(manifests: Manifests): string[] {
  return [
    ...gracePeriods(manifests),
    ...rollingUpdates(manifests),
    ...disruptionBudgets(manifests),
  ];
}

function gracePeriods(manifests: Manifests): string[] {
  return processesOf(manifests)
    .filter(({ name }) => serverNames.includes(name))
    .flatMap(({ pods, container }) => {
      const sleep = container.lifecycle?.preStop?.sleep?.seconds ?? 0;
      const variables = environmentOf(manifests, container);
      const delay =
        Number(variables.find(({ name }) => name === 'DRAIN_DELAY_MS')?.value ?? 0) / 1000;
      const needed = sleep + delay + drainSeconds + spareSeconds;
      const given = pods.spec.terminationGracePeriodSeconds ?? 30;
      if (given >= needed) return [];
      return [
        finding(
          pods.manifest,
          `${pods.field}.spec.terminationGracePeriodSeconds`,
          `is ${given}, but preStop (${sleep} s), DRAIN_DELAY_MS (${delay} s) and the drain (${drainSeconds} s) need ${needed}.`,
        ),
      ];
    });
}

/** A rollout must not stop a pod before its replacement is ready. */
function rollingUpdates(manifests: Manifests): string[] {
  return manifests.of<IDeployment>('Deployment').flatMap((deployment) => {
    const { strategy, replicas } = deployment.spec ?? {};
    // A quarter of one pod is rounded to zero. A volume that only one pod can mount does not allow a second pod.
    if (replicas === 1 && !strategy?.rollingUpdate) return [];
    const unavailable = strategy?.rollingUpdate?.maxUnavailable;
    return unavailable === 0
      ? []
      : [
          finding(
            deployment,
            'spec.strategy.rollingUpdate.maxUnavailable',
            `is ${unavailable ?? 'not set'}, but must be 0.`,
          ),
        ];
  });
}

/** A node can be drained: one pod of the minimum number can be evicted. */
function disruptionBudgets(manifests: Manifests): string[] {
  const autoscalers = autoscalersOf(manifests);
  const budgets = manifests.of<IPodDisruptionBudget>('PodDisruptionBudget');
  return podsOf(manifests)
    .filter(({ manifest }) => ['Deployment', 'StatefulSet'].includes(manifest.kind))
    .flatMap(({ manifest, labels }) => {
      const { replicas = 1 } = (manifest as unknown as IStatefulSet).spec ?? {};
      const scaled = autoscalers.find(
        ({ target }) => target.kind === manifest.kind && target.name === manifest.metadata.name,
      );
      const lowest = scaled?.min ?? replicas;
      const mine = budgets.filter(({ spec }) => selects(spec?.selector ?? {}, labels));
      if (mine.length === 0 && lowest > 1) {
        return [finding(manifest, 'the workload', 'has several pods and no PodDisruptionBudget.')];
      }
      return [
        ...(mine.length > 1
          ? [finding(manifest, 'the workload', 'has several PodDisruptionBudgets: evictions fail.')]
          : []),
        ...mine
          .filter(({ spec }) => evictable(spec ?? {}, lowest) < 1)
          .map((budget) =>
            finding(
              budget,
              'spec',
              `allows no eviction of ${nameOf(manifest)} with ${lowest} ${lowest === 1 ? 'pod' : 'pods'}.`,
            ),
          ),
      ];
    });
}

type Budget = NonNullable<IPodDisruptionBudget['spec']>;

function evictable({ minAvailable, maxUnavailable }: Budget, pods: number): number {
  const count = (value: string | number) =>
    typeof value === 'number' ? value : Math.ceil((Number.parseInt(value, 10) / 100) * pods);
  if (maxUnavailable !== undefined) return count(maxUnavailable);
  return pods - count(minAvailable ?? 0);
}
