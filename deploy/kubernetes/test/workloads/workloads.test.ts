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
    findings: [
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
    findings: [`${container}.resources.requests.memory is 1Gi, above the limit of 512Mi.`],
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
    findings: [`${container}.env allows a heap of 400 MiB, more than 50 % of the limit of 512Mi.`],
  },
  {
    what: 'a heap without a limit',
    change: add('Deployment gateway', `${spec}.containers.0.env`, {
      name: 'NODE_OPTIONS',
      value: '',
    }),
    findings: [
      `${container}.env has no NODE_OPTIONS with --max-old-space-size: Node would derive its heap from the limit.`,
    ],
  },
]);

testFaults(rolloutFindings, [
  {
    what: 'a grace period that ends before the drain does',
    change: stop({ preStopSeconds: 2, graceSeconds: 12 }),
    findings: [
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
    findings: [
      `${gateway}: ${spec}.terminationGracePeriodSeconds is 20, but preStop (2 s), DRAIN_DELAY_MS (15 s) and the drain (10 s) need 29.`,
    ],
  },
  {
    what: 'a rollout that stops pods before their replacements are ready',
    change: set('Deployment gateway', 'spec.strategy.rollingUpdate.maxUnavailable', '25%'),
    findings: [`${gateway}: spec.strategy.rollingUpdate.maxUnavailable is 25%, but must be 0.`],
  },
  {
    what: 'a budget that prevents nodes from being drained',
    change: set('PodDisruptionBudget gateway', 'spec', {
      minAvailable: 2,
      selector: { matchLabels: { 'app.kubernetes.io/name': 'gateway' } },
    }),
    findings: [
      'PodDisruptionBudget gateway (base/gateway/pod-disruption-budget.yaml): spec allows no eviction of Deployment gateway with 2 pods.',
    ],
  },
  {
    what: 'several pods without a budget',
    change: remove('PodDisruptionBudget gateway'),
    findings: [`${gateway}: the workload has several pods and no PodDisruptionBudget.`],
  },
  {
    what: 'two budgets of the same pods',
    change: set('PodDisruptionBudget users', 'spec.selector', {
      matchLabels: { 'app.kubernetes.io/name': 'gateway' },
    }),
    findings: [
      `${gateway}: the workload has several PodDisruptionBudgets: evictions fail.`,
      'Deployment users (base/users/deployment.yaml): the workload has several pods and no PodDisruptionBudget.',
    ],
  },
]);

testFaults(imageFindings, [
  {
    what: 'an image without a version',
    change: set('StatefulSet nats', `${spec}.containers.0.image`, 'nats:latest'),
    findings: [
      `StatefulSet nats (components/single-node/nats.yaml): ${spec}.containers[nats].image is nats:latest: set a version.`,
    ],
  },
  {
    what: 'a process of another release',
    change: set('Deployment webhooks', `${spec}.containers.0.image`, 'roster:0.1.0'),
    findings: [
      `Deployment webhooks (base/webhooks/deployment.yaml): ${spec}.containers[roster].image is roster:0.1.0, but roster:dev in other processes.`,
    ],
  },
]);

testFaults(autoscalerFindings, [
  {
    what: 'replicas that would reset the autoscaler',
    change: set('Deployment gateway', 'spec.replicas', 2),
    findings: [
      `${gateway}: spec.replicas must not be set: HorizontalPodAutoscaler gateway sets it.`,
    ],
  },
  {
    what: 'two autoscalers of one Deployment',
    of: production,
    change: set('HorizontalPodAutoscaler gateway', 'spec.scaleTargetRef.name', 'contacts'),
    findings: [
      'HorizontalPodAutoscaler gateway (base/gateway/horizontal-pod-autoscaler.yaml): spec.scaleTargetRef is also scaled by HorizontalPodAutoscaler contacts.',
    ],
  },
  {
    what: 'an autoscaler whose minimum exceeds its maximum',
    change: (manifests) => {
      set('HorizontalPodAutoscaler gateway', 'spec.minReplicas', 20)(manifests);
      set('HorizontalPodAutoscaler gateway', 'spec.maxReplicas', 10)(manifests);
    },
    findings: [
      'HorizontalPodAutoscaler gateway (base/gateway/horizontal-pod-autoscaler.yaml): the minimum number of pods is 20, above the maximum, 10.',
    ],
  },
  {
    what: 'an autoscaler by the backlog of an unknown consumer',
    of: production,
    change: set('ScaledObject dispatcher', 'spec.triggers.0.metadata.consumer', 'deliveries'),
    findings: [
      'ScaledObject dispatcher (components/keda/scaled-object.yaml): spec.triggers.metadata.consumer is deliveries, and must be dispatcher.',
    ],
  },
]);

testFaults(probeFindings, [
  {
    what: 'a liveness probe that would restart a process that waits for PostgreSQL',
    change: set('Deployment gateway', `${spec}.containers.0.livenessProbe.httpGet.path`, '/readyz'),
    findings: [`${container}.livenessProbe requests /readyz, but must request /healthz.`],
  },
  {
    what: 'a process that receives requests before it is ready',
    change: set('Deployment gateway', `${spec}.containers.0.readinessProbe`, undefined),
    findings: [`${container}.readinessProbe requests no path, but must request /readyz.`],
  },
]);

/** Only this process has connections. While it is replaced, two pods of it run. */
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
    findings: [
      `StatefulSet postgres (components/single-node/postgres.yaml): ${spec}.containers.args, max_connections, is 60; the maximum number of pods requires 70, including 10 to spare.`,
    ],
  },
  {
    what: "more connections than CloudNativePG's PostgreSQL accepts",
    of: production,
    change: (manifests) => {
      onePodWithPool(manifests, 'users', 30);
      set('Cluster postgres', 'spec.postgresql.parameters.max_connections', '60')(manifests);
    },
    findings: [
      'Cluster postgres (components/postgres/cluster.yaml): spec.postgresql.parameters.max_connections is 60; the maximum number of pods requires 70, including 10 to spare.',
    ],
  },
  {
    what: 'more stream replicas than NATS servers',
    of: production,
    change: set('StatefulSet nats', 'spec.replicas', 1),
    findings: ['contacts', 'dispatcher', 'users', 'webhooks'].map(
      (name) =>
        `Deployment ${name} (base/${name}/deployment.yaml): EVENTS_REPLICAS of ${name} is 3, more than the servers of StatefulSet nats.`,
    ),
  },
  {
    what: 'processes with different numbers of stream replicas',
    of: production,
    change: add('Deployment users', `${spec}.containers.0.env`, {
      name: 'EVENTS_REPLICAS',
      value: '1',
    }),
    findings: [
      'Deployment users (base/users/deployment.yaml): EVENTS_REPLICAS is 1, but 3 in other processes.',
    ],
  },
]);
