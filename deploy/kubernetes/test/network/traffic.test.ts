import type { INetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1';

import type { Manifests } from '../build/manifests.js';
import { variant } from '../build/variants.js';
import { add, production, remove, set, testFaults } from '../faults.js';
import { publicAddresses } from './edges.js';
import { foreigners as strangers } from './endpoints.js';
import { cutEdgeFindings, notPublic, openEdgeFindings, otherPorts } from './traffic.js';

const container = 'spec.template.spec.containers.0';

/** A further policy. */
const allow = (name: string, spec: INetworkPolicy['spec']) => (manifests: Manifests) => {
  manifests.all.push({
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: { name, namespace: 'roster' },
    spec,
  } as INetworkPolicy & Manifests['all'][number]);
};

/** From the pods of one name to those of another. */
const connect = (from: string, to: string, port: string | number) => (manifests: Manifests) => {
  allow(`${from}-out`, {
    podSelector: named(from),
    policyTypes: ['Egress'],
    egress: [{ to: [{ podSelector: named(to) }], ports: [{ port }] }],
  })(manifests);
  allow(`${to}-in`, {
    podSelector: named(to),
    policyTypes: ['Ingress'],
    ingress: [{ from: [{ podSelector: named(from) }], ports: [{ port }] }],
  })(manifests);
};

const named = (name: string) => ({ matchLabels: { 'app.kubernetes.io/name': name } });

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
const foreigners = strangers.map(({ name }) => name);
/** Pods that others run. */
const operators = ['Prometheus', 'KEDA', "CloudNativePG's operator", 'DNS'];
const everyPort = otherPorts.join(', ');

testFaults(cutEdgeFindings, [
  {
    what: 'a database that a service is not let out to',
    change: set('NetworkPolicy to-postgres', 'spec.podSelector.matchExpressions.0.values', [
      'users',
      'webhooks',
      'dispatcher',
      'migrate',
    ]),
    says: [
      'Deployment contacts → StatefulSet postgres, TCP 5432, is needed by DATABASE_URL of contacts, but no NetworkPolicy lets Deployment contacts out.',
    ],
  },
  {
    what: 'a database that does not take the migration in',
    change: set(
      'NetworkPolicy postgres',
      'spec.ingress.0.from.0.podSelector.matchExpressions.0.values',
      ['contacts', 'users', 'webhooks', 'dispatcher'],
    ),
    says: [
      'Job migrate-dev → StatefulSet postgres, TCP 5432, is needed by DATABASE_URL of migrate, but no NetworkPolicy lets StatefulSet postgres take it.',
    ],
  },
  {
    what: 'a port that the policies do not know, where the URL names it',
    change: (manifests) => {
      const url = 'nats://roster:demo-only@nats:4223';
      set('Secret nats', 'data.url', Buffer.from(url).toString('base64'))(manifests);
      set('Service nats', 'spec.ports.0.port', 4223)(manifests);
      set('Service nats', 'spec.ports.0.targetPort', 4223)(manifests);
      set('StatefulSet nats', `${container}.ports.0.containerPort`, 4223)(manifests);
    },
    says: ['contacts', 'dispatcher', 'gateway', 'users', 'webhooks'].map(
      (name) =>
        `Deployment ${name} → StatefulSet nats, TCP 4223, is needed by NATS_URL of ${name}, but no NetworkPolicy lets Deployment ${name} out.`,
    ),
  },
  {
    what: 'a further server that a process is told of',
    of: variant('base', ['single-node']),
    change: add('Deployment gateway', `${container}.env`, {
      name: 'NATS_URL',
      value: 'nats://nats:4222,nats://nats.example:4333',
    }),
    says: [
      'Deployment gateway → nats.example, TCP 4333, is needed by NATS_URL of gateway, but no NetworkPolicy lets Deployment gateway out.',
    ],
  },
  {
    what: 'a host that no Service is called',
    change: set(
      'Secret database',
      'data.url',
      Buffer.from('postgres://roster:demo-only@postgresql:5432/roster').toString('base64'),
    ),
    says: [
      ...['contacts', 'dispatcher', 'users', 'webhooks'].map((name) => ['Deployment', name, name]),
      ['Job', 'migrate-dev', 'migrate'],
    ].map(
      ([kind, object, name]) =>
        `${kind} ${object} → postgresql, TCP 5432, is needed by DATABASE_URL of ${name}, but no NetworkPolicy lets ${kind} ${object} out.`,
    ),
  },
  {
    what: 'names that nobody can look up',
    change: set('NetworkPolicy dns', 'spec.podSelector', named('gateway')),
    says: all
      .filter((name) => name !== 'Deployment gateway')
      .flatMap((name) =>
        ['UDP', 'TCP'].map(
          (protocol) =>
            `${name} → DNS, ${protocol} 53, is needed by names that ${name} looks up, but no NetworkPolicy lets ${name} out.`,
        ),
      ),
  },
  {
    what: 'an API that nobody reaches',
    change: remove('NetworkPolicy gateway'),
    says: [...foreigners, ...publicAddresses, ...operators].map(
      (name) =>
        `${name} → Deployment gateway, TCP 8080, is needed by the API of gateway, but no NetworkPolicy lets Deployment gateway take it.`,
    ),
  },
  {
    what: 'metrics that nobody can ask for',
    change: remove('NetworkPolicy admin'),
    says: processes.map(
      (name) =>
        `Prometheus → Deployment ${name}, TCP 9090, is needed by metrics of Deployment ${name}, but no NetworkPolicy lets Deployment ${name} take it.`,
    ),
  },
  {
    what: 'receivers of webhooks that cannot be reached',
    change: remove('NetworkPolicy dispatcher'),
    says: publicAddresses.map(
      (address) =>
        `Deployment dispatcher → ${address}, TCP 443, is needed by deliveries of Deployment dispatcher, but no NetworkPolicy lets Deployment dispatcher out.`,
    ),
  },
  {
    what: 'NATS servers that do not reach each other',
    of: production,
    change: set('NetworkPolicy nats', 'spec.egress', []),
    says: [
      'StatefulSet nats → StatefulSet nats, TCP 6222, is needed by nats.conf of StatefulSet nats, but no NetworkPolicy lets StatefulSet nats out.',
    ],
  },
  {
    what: 'a backlog that KEDA cannot ask for',
    of: production,
    change: remove('NetworkPolicy keda-to-nats'),
    says: [
      'KEDA → StatefulSet nats, TCP 8222, is needed by ScaledObject dispatcher, but no NetworkPolicy lets StatefulSet nats take it.',
    ],
  },
  {
    what: 'PostgreSQL instances that neither their operator nor they themselves reach',
    of: production,
    change: (manifests) => {
      const policy = manifests.get<INetworkPolicy>('NetworkPolicy', 'postgres');
      policy.spec!.ingress!.splice(1, 2);
    },
    says: [
      'Cluster postgres → Cluster postgres, TCP 8000, is needed by status of Cluster postgres, but no NetworkPolicy lets Cluster postgres take it.',
      "CloudNativePG's operator → Cluster postgres, TCP 8000, is needed by status of Cluster postgres, but no NetworkPolicy lets Cluster postgres take it.",
      "CloudNativePG's operator → Cluster postgres, TCP 5432, is needed by operator of Cluster postgres, but no NetworkPolicy lets Cluster postgres take it.",
    ],
  },
  {
    what: 'an external database that cannot be reached',
    of: variant('base', ['nats', 'external-postgres']),
    change: remove('NetworkPolicy to-postgres'),
    says: [
      ...['contacts', 'dispatcher', 'users', 'webhooks'].map((name) => ['Deployment', name]),
      ['Job', 'migrate'],
    ].map(
      ([kind, name]) =>
        `${kind} ${name} → postgres.example, TCP 5432, is needed by DATABASE_URL of ${name}, but no NetworkPolicy lets ${kind} ${name} out.`,
    ),
  },
]);

testFaults(openEdgeFindings, [
  {
    what: 'pods that no policy selects',
    change: remove('NetworkPolicy default-deny'),
    says: [...foreigners, ...operators, ...publicAddresses].map(
      (name) =>
        `${name} → Job migrate-dev is open by no policy at all, and nothing needs it: TCP ${everyPort}.`,
    ),
  },
  {
    what: 'a gateway that reaches PostgreSQL',
    change: connect('gateway', 'postgres', 5432),
    says: [
      'Deployment gateway → StatefulSet postgres is open by NetworkPolicy gateway-out and postgres-in, and nothing needs it: TCP 5432.',
    ],
  },
  {
    what: 'services that reach each other',
    change: connect('contacts', 'webhooks', 'admin'),
    says: [
      'Deployment contacts → Deployment webhooks is open by NetworkPolicy contacts-out and webhooks-in, and nothing needs it: TCP 9090.',
    ],
  },
  {
    what: 'metrics that any namespace may ask for',
    change: set('NetworkPolicy admin', 'spec.ingress.0.from', [
      { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'default' } } },
    ]),
    says: processes.flatMap((name) =>
      foreigners.map(
        (foreigner) =>
          `${foreigner} → Deployment ${name} is open by NetworkPolicy admin, and nothing needs it: TCP 9090.`,
      ),
    ),
  },
  {
    what: 'a service that may go anywhere by one port',
    change: allow('anywhere', {
      podSelector: named('users'),
      policyTypes: ['Egress'],
      egress: [
        {
          to: [{ ipBlock: { cidr: '0.0.0.0/0', except: ['10.0.0.0/8'] } }],
          ports: [{ port: 443 }],
        },
      ],
    }),
    says: [publicAddresses[0], ...notPublic]
      .filter((address) => !address?.includes(':'))
      .map(
        (address) =>
          `Deployment users → ${address} is open by NetworkPolicy anywhere, and nothing needs it: TCP 443.`,
      ),
  },
  {
    what: 'a dispatcher that reaches the pods and services of the cluster',
    change: set('NetworkPolicy dispatcher', 'spec.egress.0', {
      to: [{ ipBlock: { cidr: '10.0.0.0/8' } }],
      ports: [{ port: 443 }],
    }),
    says: ['10.20.30.40', ...foreigners, ...operators].map(
      (name) =>
        `Deployment dispatcher → ${name} is open by NetworkPolicy dispatcher, and nothing needs it: TCP 443.`,
    ),
  },
]);
