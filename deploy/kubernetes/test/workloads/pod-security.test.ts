import { podSecurityFindings, tokenFindings } from './pod-security.js';
import { add, set, testFaults } from '../faults.js';

const spec = 'spec.template.spec';
const gateway = `Deployment gateway (base/gateway/deployment.yaml): ${spec}`;
const context = `${gateway}.containers[roster].securityContext`;
const container = (path: string, value: unknown) =>
  set('Deployment gateway', `${spec}.containers.0.securityContext.${path}`, value);

testFaults(podSecurityFindings, [
  {
    what: 'a container that may run as root',
    change: container('runAsNonRoot', false),
    says: [`${context}.runAsNonRoot must be true.`],
  },
  {
    what: 'a container that runs as root',
    change: container('runAsUser', 0),
    says: [`${context}.runAsUser must be a number above 0.`],
  },
  {
    what: 'a container that may become root',
    change: container('allowPrivilegeEscalation', undefined),
    says: [`${context}.allowPrivilegeEscalation must be false.`],
  },
  {
    what: 'a privileged container',
    change: container('privileged', true),
    says: [`${context}.privileged must not be true.`],
  },
  {
    what: 'a container that keeps capabilities',
    change: container('capabilities', { add: ['SYS_ADMIN'] }),
    says: [
      `${context}.capabilities.drop must have ALL.`,
      `${context}.capabilities.add must be empty.`,
    ],
  },
  {
    what: 'a container without a seccomp profile',
    change: set('Deployment gateway', `${spec}.securityContext.seccompProfile`, undefined),
    says: [`${context}.seccompProfile.type must be RuntimeDefault.`],
  },
  {
    what: 'a container that can write to its root',
    change: container('readOnlyRootFilesystem', false),
    says: [`${context}.readOnlyRootFilesystem must be true.`],
  },
  {
    what: "a volume of the node's files",
    change: add('Deployment gateway', `${spec}.volumes`, {
      name: 'etc',
      hostPath: { path: '/etc' },
    }),
    says: [`${gateway}.volumes[etc] is a hostPath, which restricted forbids.`],
  },
  {
    what: "a pod in the node's network",
    change: set('Deployment gateway', `${spec}.hostNetwork`, true),
    says: [`${gateway}.hostNetwork must not be set.`],
  },
  {
    what: "a port of the node's",
    change: set('Deployment gateway', `${spec}.containers.0.ports.0.hostPort`, 80),
    says: [`${gateway}.containers[roster].ports must have no hostPort.`],
  },
  {
    what: 'an init container that is less strict than the others',
    change: set(
      'StatefulSet postgres',
      `${spec}.initContainers.0.securityContext.capabilities`,
      {},
    ),
    says: [
      `StatefulSet postgres (components/single-node/postgres.yaml): ${spec}.containers[close-data].securityContext.capabilities.drop must have ALL.`,
    ],
  },
  {
    what: 'a namespace that does not enforce the standard',
    change: set('Namespace roster', 'metadata.labels', {}),
    says: [
      'Namespace roster (base/namespace.yaml): metadata.labels must have pod-security.kubernetes.io/enforce: restricted, else nobody enforces it.',
    ],
  },
]);

testFaults(tokenFindings, [
  {
    what: 'a pod that gets a token for the Kubernetes API',
    change: set('Deployment gateway', `${spec}.automountServiceAccountToken`, undefined),
    says: [`${gateway}.automountServiceAccountToken must be false.`],
  },
  {
    what: 'a ServiceAccount that gives one to every pod',
    change: set('ServiceAccount gateway', 'automountServiceAccountToken', undefined),
    says: [
      'ServiceAccount gateway (base/gateway/service-account.yaml): automountServiceAccountToken must be false.',
    ],
  },
]);
