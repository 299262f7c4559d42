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
    findings: [`${context}.runAsNonRoot must be true.`],
  },
  {
    what: 'a container that runs as root',
    change: container('runAsUser', 0),
    findings: [`${context}.runAsUser must be a number above 0.`],
  },
  {
    what: 'a container that may become root',
    change: container('allowPrivilegeEscalation', undefined),
    findings: [`${context}.allowPrivilegeEscalation must be false.`],
  },
  {
    what: 'a privileged container',
    change: container('privileged', true),
    findings: [`${context}.privileged must not be true.`],
  },
  {
    what: 'a container that keeps capabilities',
    change: container('capabilities', { add: ['SYS_ADMIN'] }),
    findings: [
      `${context}.capabilities.drop must have ALL.`,
      `${context}.capabilities.add must be empty.`,
    ],
  },
  {
    what: 'a container without a seccomp profile',
    change: set('Deployment gateway', `${spec}.securityContext.seccompProfile`, undefined),
    findings: [`${context}.seccompProfile.type must be RuntimeDefault.`],
  },
  {
    what: 'a container that can write to its root',
    change: container('readOnlyRootFilesystem', false),
    findings: [`${context}.readOnlyRootFilesystem must be true.`],
  },
  {
    what: 'a volume with files of the node',
    change: add('Deployment gateway', `${spec}.volumes`, {
      name: 'etc',
      hostPath: { path: '/etc' },
    }),
    findings: [`${gateway}.volumes[etc] is a hostPath, which restricted forbids.`],
  },
  {
    what: "a pod in the node's network",
    change: set('Deployment gateway', `${spec}.hostNetwork`, true),
    findings: [`${gateway}.hostNetwork must not be set.`],
  },
  {
    what: 'a port of the node',
    change: set('Deployment gateway', `${spec}.containers.0.ports.0.hostPort`, 80),
    findings: [`${gateway}.containers[roster].ports must have no hostPort.`],
  },
  {
    what: 'an init container that is less restricted than the others',
    change: set(
      'StatefulSet postgres',
      `${spec}.initContainers.0.securityContext.capabilities`,
      {},
    ),
    findings: [
      `StatefulSet postgres (components/single-node/postgres.yaml): ${spec}.containers[close-data].securityContext.capabilities.drop must have ALL.`,
    ],
  },
  {
    what: 'a namespace that does not enforce the standard',
    change: set('Namespace roster', 'metadata.labels', {}),
    findings: [
      'Namespace roster (base/namespace.yaml): metadata.labels must have pod-security.kubernetes.io/enforce: restricted, otherwise the standard is not enforced.',
    ],
  },
]);

testFaults(tokenFindings, [
  {
    what: 'a pod that gets a token for the Kubernetes API',
    change: set('Deployment gateway', `${spec}.automountServiceAccountToken`, undefined),
    findings: [`${gateway}.automountServiceAccountToken must be false.`],
  },
  {
    what: 'a ServiceAccount that gives a token to every pod',
    change: set('ServiceAccount gateway', 'automountServiceAccountToken', undefined),
    findings: [
      'ServiceAccount gateway (base/gateway/service-account.yaml): automountServiceAccountToken must be false.',
    ],
  },
]);
