import type { INetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1';

import type { Manifests } from '../build/manifests.js';
import { remove, set, testFaults } from '../faults.js';
import { publicAddresses } from './edges.js';
import { platformPods, unrelatedPods } from './endpoints.js';
import { notPublic, openEdgeFindings, otherPorts } from './traffic.js';

/** Adds a NetworkPolicy. */
const allow = (name: string, spec: INetworkPolicy['spec']) => (manifests: Manifests) => {
  manifests.all.push({
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: { name, namespace: 'roster' },
    spec,
  } as INetworkPolicy & Manifests['all'][number]);
};

/** Allows connections from the pods of one name to those of another. */
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
const unrelated = unrelatedPods.map(({ name }) => name);
const platform = platformPods.map(({ name }) => name);
const everyPort = otherPorts.join(', ');

testFaults(openEdgeFindings, [
  {
    what: 'pods that no policy selects',
    change: remove('NetworkPolicy default-deny'),
    findings: [...unrelated, ...platform, ...publicAddresses].map(
      (name) =>
        `${name} → Job migrate-dev is allowed by default, because no NetworkPolicy selects the pods, but not required: TCP ${everyPort}.`,
    ),
  },
  {
    what: 'a gateway that reaches PostgreSQL',
    change: connect('gateway', 'postgres', 5432),
    findings: [
      'Deployment gateway → StatefulSet postgres is allowed by NetworkPolicy gateway-out and postgres-in, but not required: TCP 5432.',
    ],
  },
  {
    what: 'services that reach each other',
    change: connect('contacts', 'webhooks', 'admin'),
    findings: [
      'Deployment contacts → Deployment webhooks is allowed by NetworkPolicy contacts-out and webhooks-in, but not required: TCP 9090.',
    ],
  },
  {
    what: 'metrics that another namespace may read',
    change: set('NetworkPolicy admin', 'spec.ingress.0.from', [
      { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'default' } } },
    ]),
    findings: processes.flatMap((name) =>
      unrelated.map(
        (pod) =>
          `${pod} → Deployment ${name} is allowed by NetworkPolicy admin, but not required: TCP 9090.`,
      ),
    ),
  },
  {
    what: 'a service that may connect to any address on one port',
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
    findings: [publicAddresses[0], ...notPublic]
      .filter((address) => !address?.includes(':'))
      .map(
        (address) =>
          `Deployment users → ${address} is allowed by NetworkPolicy anywhere, but not required: TCP 443.`,
      ),
  },
  {
    what: 'a dispatcher that reaches the pods and services of the cluster',
    change: set('NetworkPolicy dispatcher', 'spec.egress.0', {
      to: [{ ipBlock: { cidr: '10.0.0.0/8' } }],
      ports: [{ port: 443 }],
    }),
    findings: ['10.20.30.40', ...unrelated, ...platform].map(
      (name) =>
        `Deployment dispatcher → ${name} is allowed by NetworkPolicy dispatcher, but not required: TCP 443.`,
    ),
  },
]);
