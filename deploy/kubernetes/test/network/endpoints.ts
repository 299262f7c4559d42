import type { INamespace } from 'kubernetes-models/v1';

import type { Manifests } from '../build/manifests.js';
import { type Pods, portsOf } from '../build/pods.js';
import { nameOf } from '../objects/finding.js';
import type { Endpoint } from './network-policies.js';

/** Kubernetes sets this label on every namespace. */
const namespaceLabels = (name: string) => ({ 'kubernetes.io/metadata.name': name });

export function endpointOf(manifests: Manifests, pods: Pods): Endpoint {
  const namespace = pods.namespace ?? 'default';
  return {
    name: nameOf(pods.manifest),
    pod: {
      namespace,
      namespaceLabels: {
        ...manifests.find<INamespace>('Namespace', namespace)?.metadata.labels,
        ...namespaceLabels(namespace),
      },
      labels: pods.labels,
      ports: portsOf(pods),
    },
  };
}

const foreign = (
  name: string,
  namespace: string,
  labels: Record<string, string> = {},
  ports: NonNullable<Endpoint['pod']>['ports'] = [],
): Endpoint => ({
  name,
  pod: { namespace, namespaceLabels: namespaceLabels(namespace), labels, ports },
});

/** Pods of the platform, with the namespaces and labels that the manifests expect. */
export const dns = foreign('DNS', 'kube-system', { 'k8s-app': 'kube-dns' }, [
  { name: 'dns', containerPort: 53, protocol: 'UDP' },
  { name: 'dns-tcp', containerPort: 53, protocol: 'TCP' },
]);
export const prometheus = foreign('Prometheus', 'monitoring', {
  'app.kubernetes.io/name': 'prometheus',
});
export const keda = foreign('KEDA', 'keda', {
  app: 'keda-operator',
  'app.kubernetes.io/name': 'keda-operator',
});
export const cloudNativePg = foreign("CloudNativePG's operator", 'cnpg-system', {
  'app.kubernetes.io/name': 'cloudnative-pg',
});
export const platformPods = [prometheus, keda, cloudNativePg, dns];
/** Pods of other namespaces that require no connection to Roster except to its API. */
export const unrelatedPods = [
  foreign('a pod of another namespace', 'default', { app: 'stranger' }),
  foreign('a pod of another namespace that calls itself gateway', 'default', {
    'app.kubernetes.io/name': 'gateway',
    'app.kubernetes.io/part-of': 'roster',
  }),
];
/** A pod in the namespace of Roster that no Roster process requires. */
export const unlabelledPod = foreign('a pod without labels in the namespace roster', 'roster');

export const outside = (address: string): Endpoint => ({ name: address, address });

/** Gives the endpoint an arbitrary pod address, for rules with an ipBlock that covers the pod network. */
export const withAddress = (endpoint: Endpoint): Endpoint => ({
  address: '10.244.1.7',
  ...endpoint,
});
