import type { Manifests } from '../build/manifests.js';
import { autoscalerFindings } from './autoscalers.js';
import { capacityFindings } from './capacity.js';
import { imageFindings } from './images.js';
import { probeFindings } from './probes.js';
import { resourceFindings } from './resources.js';
import { rolloutFindings } from './rollout.js';
import { add, production, remove, set, testFaults } from '../faults.js';

const spec = 'spec.template.spec';
const gateway = 'Deployment gateway (base/gateway/deployment.yaml)';
const container = `${gateway}: ${spec}.containers[roster]`;

const stop =
  ({ preStopSeconds, graceSeconds }: { preStopSeconds: number; graceSeconds: number }) =>
  (manifests: Manifests) => {
    const sleep = `${spec}.containers.0.lifecycle.preStop.sleep.seconds`;
    set('Deployment gateway', sleep, preStopSeconds)(manifests);
    set('Deployment gateway', `${spec}.terminationGracePeriodSeconds`, graceSeconds)(manifests);
  };

testFaults(resourceFindings, [
  {
    what: 'a container without requests and limits',
    change: set('Deployment gateway', `${spec}.containers.0.resources`, undefined),
    says: [
      `${container}.resources.requests.cpu is missing.`,
      `${container}.resources.requests.memory is missing.`,
      `${container}.resources.limits.memory is missing.`,
    ],
  },
  {
    what: 'a request above its limit',
    change: set('Deployment gateway', `${spec}.containers.0.resources`, {
      requests: { cpu: '250m', memory: '1Gi' },
      limits: { memory: '512Mi' },
    }),
    says: [`${container}.resources.requests.memory is 1Gi, above the limit of 512Mi.`],
  },
  {
    what: 'a heap that leaves too little memory below the limit',
    change: (manifests) => {
      set('Deployment gateway', `${spec}.containers.0.resources.limits.memory`, '512Mi')(manifests);
      add('Deployment gateway', `${spec}.containers.0.env`, {
        name: 'NODE_OPTIONS',
        value: '--max-old-space-size=400',
      })(manifests);
    },
    says: [`${container}.env allows a heap of 400 MiB, more than 50 % of the limit of 512Mi.`],
  },
  {
    what: 'a heap without a limit',
    change: add('Deployment gateway', `${spec}.containers.0.env`, {
      name: 'NODE_OPTIONS',
      value: '',
    }),
    says: [
      `${container}.env has no NODE_OPTIONS with --max-old-space-size: Node would take the limit as its heap.`,
    ],
  },
]);

testFaults(rolloutFindings, [
  {
    what: 'a grace period that ends before the drain does',
    change: stop({ preStopSeconds: 2, graceSeconds: 12 }),
    says: [
      `${gateway}: ${spec}.terminationGracePeriodSeconds is 12, but preStop (2 s), DRAIN_DELAY_MS (0 s) and the drain (10 s) need 14.`,
    ],
  },
  {
    what: 'a drain delay that the grace period does not cover',
    change: (manifests) => {
      stop({ preStopSeconds: 2, graceSeconds: 20 })(manifests);
      add('Deployment gateway', `${spec}.containers.0.env`, {
        name: 'DRAIN_DELAY_MS',
        value: '15000',
      })(manifests);
    },
    says: [
      `${gateway}: ${spec}.terminationGracePeriodSeconds is 20, but preStop (2 s), DRAIN_DELAY_MS (15 s) and the drain (10 s) need 29.`,
    ],
  },
  {
    what: 'a rollout that stops pods before others are ready',
    change: set('Deployment gateway', 'spec.strategy.rollingUpdate.maxUnavailable', '25%'),
    says: [`${gateway}: spec.strategy.rollingUpdate.maxUnavailable is 25%, and must be 0.`],
  },
  {
    what: 'a budget that keeps every node from being drained',
    change: set('PodDisruptionBudget gateway', 'spec', {
      minAvailable: 2,
      selector: { matchLabels: { 'app.kubernetes.io/name': 'gateway' } },
    }),
    says: [
      'PodDisruptionBudget gateway (base/gateway/pod-disruption-budget.yaml): spec allows no eviction of Deployment gateway with 2 pods.',
    ],
  },
  {
    what: 'several pods without a budget',
    change: remove('PodDisruptionBudget gateway'),
    says: [`${gateway}: the workload has several pods and no PodDisruptionBudget.`],
  },
  {
    what: 'two budgets of the same pods',
    change: set('PodDisruptionBudget users', 'spec.selector', {
      matchLabels: { 'app.kubernetes.io/name': 'gateway' },
    }),
    says: [
      `${gateway}: the workload has several PodDisruptionBudgets: evictions fail.`,
      'Deployment users (base/users/deployment.yaml): the workload has several pods and no PodDisruptionBudget.',
    ],
  },
]);

testFaults(imageFindings, [
  {
    what: 'an image without a version',
    change: set('StatefulSet nats', `${spec}.containers.0.image`, 'nats:latest'),
    says: [
      `StatefulSet nats (components/single-node/nats.yaml): ${spec}.containers[nats].image is nats:latest: name a version.`,
    ],
  },
  {
    what: 'a process of another release',
    change: set('Deployment webhooks', `${spec}.containers.0.image`, 'roster:0.1.0'),
    says: [
      `Deployment webhooks (base/webhooks/deployment.yaml): ${spec}.containers[roster].image is roster:0.1.0, where others are roster:dev.`,
    ],
  },
]);

testFaults(autoscalerFindings, [
  {
    what: 'replicas that would reset the autoscaler',
    change: set('Deployment gateway', 'spec.replicas', 2),
    says: [`${gateway}: spec.replicas must not be set: HorizontalPodAutoscaler gateway decides.`],
  },
  {
    what: 'two autoscalers of one Deployment',
    of: production,
    change: set('HorizontalPodAutoscaler gateway', 'spec.scaleTargetRef.name', 'contacts'),
    says: [
      'HorizontalPodAutoscaler gateway (base/gateway/horizontal-pod-autoscaler.yaml): spec.scaleTargetRef is scaled by HorizontalPodAutoscaler contacts, too.',
    ],
  },
  {
    what: 'an autoscaler whose minimum exceeds its maximum',
    change: (manifests) => {
      set('HorizontalPodAutoscaler gateway', 'spec.minReplicas', 20)(manifests);
      set('HorizontalPodAutoscaler gateway', 'spec.maxReplicas', 10)(manifests);
    },
    says: [
      'HorizontalPodAutoscaler gateway (base/gateway/horizontal-pod-autoscaler.yaml): the lowest number of pods is 20, above the highest, 10.',
    ],
  },
  {
    what: 'an autoscaler by the backlog of an unknown consumer',
    of: production,
    change: set('ScaledObject dispatcher', 'spec.triggers.0.metadata.consumer', 'deliveries'),
    says: [
      'ScaledObject dispatcher (components/keda/scaled-object.yaml): spec.triggers.metadata.consumer is deliveries, and must be dispatcher.',
    ],
  },
]);

testFaults(probeFindings, [
  {
    what: 'a liveness probe that would restart a process that waits for PostgreSQL',
    change: set('Deployment gateway', `${spec}.containers.0.livenessProbe.httpGet.path`, '/readyz'),
    says: [`${container}.livenessProbe asks /readyz, and must ask /healthz.`],
  },
  {
    what: 'a process that gets requests before it is ready',
    change: set('Deployment gateway', `${spec}.containers.0.readinessProbe`, undefined),
    says: [`${container}.readinessProbe asks for nothing, and must ask /readyz.`],
  },
]);

/** And no other process that has connections; while it is replaced, there are two of it. */
function onePodWithPool(manifests: Manifests, name: string, connections: number): void {
  for (const other of ['contacts', 'dispatcher', 'users', 'webhooks']) {
    if (other !== name) remove(`Deployment ${other}`)(manifests);
  }
  set(`Deployment ${name}`, 'spec.replicas', 1)(manifests);
  add(`Deployment ${name}`, `${spec}.containers.0.env`, {
    name: 'DATABASE_POOL_MAX',
    value: String(connections),
  })(manifests);
}

testFaults(capacityFindings, [
  {
    what: 'more connections than PostgreSQL accepts',
    change: (manifests) => {
      onePodWithPool(manifests, 'users', 30);
      set('StatefulSet postgres', `${spec}.containers.0.args`, ['-c', 'max_connections=60'])(
        manifests,
      );
    },
    says: [
      `StatefulSet postgres (components/single-node/postgres.yaml): ${spec}.containers.args, max_connections, is 60; the pools of all pods that there may be, and 10 to spare, are 70.`,
    ],
  },
  {
    what: "more connections than CloudNativePG's PostgreSQL accepts",
    of: production,
    change: (manifests) => {
      onePodWithPool(manifests, 'users', 30);
      set('Cluster postgres', 'spec.postgresql.parameters.max_connections', '60')(manifests);
    },
    says: [
      'Cluster postgres (components/postgres/cluster.yaml): spec.postgresql.parameters.max_connections is 60; the pools of all pods that there may be, and 10 to spare, are 70.',
    ],
  },
  {
    what: 'more copies of events than there are NATS servers',
    of: production,
    change: set('StatefulSet nats', 'spec.replicas', 1),
    says: ['contacts', 'dispatcher', 'users'].map(
      (name) =>
        `Deployment ${name} (base/${name}/deployment.yaml): EVENTS_REPLICAS of ${name} is 3, more than StatefulSet nats has servers.`,
    ),
  },
  {
    what: 'processes that disagree on the copies of events',
    of: production,
    change: add('Deployment users', `${spec}.containers.0.env`, {
      name: 'EVENTS_REPLICAS',
      value: '1',
    }),
    says: [
      'Deployment users (base/users/deployment.yaml): EVENTS_REPLICAS is 1, where others have 3.',
    ],
  },
]);
