import type { INetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1';

import { variant } from '../build/variants.js';
import { add, production, remove, set, testFaults } from '../faults.js';
import { publicAddresses } from './edges.js';
import { platformPods, unrelatedPods } from './endpoints.js';
import { cutEdgeFindings } from './traffic.js';

const container = 'spec.template.spec.containers.0';
const processes = ['contacts', 'dispatcher', 'gateway', 'users', 'webhooks'];
const all = [
  'Deployment contacts',
  'Deployment dispatcher',
  'Deployment gateway',
  'Deployment receiver',
  'Deployment users',
  'Deployment webhooks',
  'StatefulSet nats',
  'StatefulSet postgres',
  'Job migrate-dev',
];
const unrelated = unrelatedPods.map(({ name }) => name);
const platform = platformPods.map(({ name }) => name);

testFaults(cutEdgeFindings, [
  {
    what: 'a service whose egress to the database is blocked',
    change: set('NetworkPolicy to-postgres', 'spec.podSelector.matchExpressions.0.values', [
      'users',
      'webhooks',
      'dispatcher',
      'migrate',
    ]),
    findings: [
      'Deployment contacts → StatefulSet postgres, TCP 5432, is required by DATABASE_URL of contacts, but no NetworkPolicy allows this egress of Deployment contacts.',
    ],
  },
  {
    what: 'a database whose ingress from the migration is blocked',
    change: set(
      'NetworkPolicy postgres',
      'spec.ingress.0.from.0.podSelector.matchExpressions.0.values',
      ['contacts', 'users', 'webhooks', 'dispatcher'],
    ),
    findings: [
      'Job migrate-dev → StatefulSet postgres, TCP 5432, is required by DATABASE_URL of postgres, but no NetworkPolicy allows this ingress of StatefulSet postgres.',
      'Job migrate-dev → StatefulSet postgres, TCP 5432, is required by DATABASE_URL of migrate, but no NetworkPolicy allows this ingress of StatefulSet postgres.',
    ],
  },
  {
    what: 'a port in a URL that no policy allows',
    change: (manifests) => {
      const url = 'nats://roster:demo-only@nats:4223';
      set('Secret nats', 'data.url', Buffer.from(url).toString('base64'))(manifests);
      set('Service nats', 'spec.ports.0.port', 4223)(manifests);
      set('Service nats', 'spec.ports.0.targetPort', 4223)(manifests);
      set('StatefulSet nats', `${container}.ports.0.containerPort`, 4223)(manifests);
    },
    findings: processes.map(
      (name) =>
        `Deployment ${name} → StatefulSet nats, TCP 4223, is required by NATS_URL of ${name}, but no NetworkPolicy allows this egress of Deployment ${name}.`,
    ),
  },
  {
    what: 'an additional server in a list of URLs that no policy allows',
    of: variant('base', ['single-node']),
    change: add('Deployment gateway', `${container}.env`, {
      name: 'NATS_URL',
      value: 'nats://nats:4222,nats://nats.example:4333',
    }),
    findings: [
      'Deployment gateway → nats.example, TCP 4333, is required by NATS_URL of gateway, but no NetworkPolicy allows this egress of Deployment gateway.',
    ],
  },
  {
    what: 'a host without a Service of that name',
    change: set(
      'Secret database',
      'data.migrate',
      Buffer.from('postgres://roster_migrator:demo@postgresql/roster').toString('base64'),
    ),
    findings: [
      'Job migrate-dev → postgresql, TCP 5432, is required by DATABASE_URL of migrate, but no NetworkPolicy allows this egress of Job migrate-dev.',
    ],
  },
  {
    what: 'blocked DNS queries',
    change: set('NetworkPolicy dns', 'spec.podSelector', {
      matchLabels: { 'app.kubernetes.io/name': 'gateway' },
    }),
    findings: all
      .filter((name) => name !== 'Deployment gateway')
      .flatMap((name) =>
        ['UDP', 'TCP'].map(
          (protocol) =>
            `${name} → DNS, ${protocol} 53, is required by names that ${name} looks up, but no NetworkPolicy allows this egress of ${name}.`,
        ),
      ),
  },
  {
    what: 'a blocked API',
    change: remove('NetworkPolicy gateway'),
    findings: [...unrelated, ...publicAddresses, ...platform].map(
      (name) =>
        `${name} → Deployment gateway, TCP 8080, is required by the API of gateway, but no NetworkPolicy allows this ingress of Deployment gateway.`,
    ),
  },
  {
    what: 'blocked metrics',
    change: remove('NetworkPolicy admin'),
    findings: processes.map(
      (name) =>
        `Prometheus → Deployment ${name}, TCP 9090, is required by metrics of Deployment ${name}, but no NetworkPolicy allows this ingress of Deployment ${name}.`,
    ),
  },
  {
    what: 'blocked receivers of webhooks',
    change: remove('NetworkPolicy dispatcher'),
    findings: publicAddresses.map(
      (address) =>
        `Deployment dispatcher → ${address}, TCP 443, is required by deliveries of Deployment dispatcher, but no NetworkPolicy allows this egress of Deployment dispatcher.`,
    ),
  },
  {
    what: 'blocked routes between NATS servers',
    of: production,
    change: set('NetworkPolicy nats', 'spec.egress', []),
    findings: [
      'StatefulSet nats → StatefulSet nats, TCP 6222, is required by ROUTES of StatefulSet nats, but no NetworkPolicy allows this egress of StatefulSet nats.',
    ],
  },
  {
    what: 'a backlog that KEDA cannot read',
    of: production,
    change: remove('NetworkPolicy keda-to-nats'),
    findings: [
      'KEDA → StatefulSet nats, TCP 8222, is required by ScaledObject dispatcher, but no NetworkPolicy allows this ingress of StatefulSet nats.',
    ],
  },
  {
    what: 'PostgreSQL instances blocked from each other and from their operator',
    of: production,
    change: (manifests) => {
      const policy = manifests.get<INetworkPolicy>('NetworkPolicy', 'postgres');
      policy.spec!.ingress!.splice(1, 2);
    },
    findings: [
      'Cluster postgres → Cluster postgres, TCP 8000, is required by status of Cluster postgres, but no NetworkPolicy allows this ingress of Cluster postgres.',
      "CloudNativePG's operator → Cluster postgres, TCP 8000, is required by status of Cluster postgres, but no NetworkPolicy allows this ingress of Cluster postgres.",
      "CloudNativePG's operator → Cluster postgres, TCP 5432, is required by operator of Cluster postgres, but no NetworkPolicy allows this ingress of Cluster postgres.",
    ],
  },
  {
    what: 'a blocked external database',
    of: variant('base', ['nats', 'external-postgres']),
    change: remove('NetworkPolicy to-postgres'),
    findings: [
      ...['contacts', 'dispatcher', 'users', 'webhooks'].map((name) => ['Deployment', name]),
      ['Job', 'migrate'],
    ].map(
      ([kind, name]) =>
        `${kind} ${name} → postgres.example, TCP 5432, is required by DATABASE_URL of ${name}, but no NetworkPolicy allows this egress of ${kind} ${name}.`,
    ),
  },
]);
