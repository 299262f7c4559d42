import type { INamespace, ISecurityContext, IServiceAccount } from 'kubernetes-models/v1';

import type { Manifests } from '../build/manifests.js';
import { type Pods, containersOf, podsOf } from '../build/pods.js';
import { finding } from '../objects/finding.js';

/** https://kubernetes.io/docs/concepts/security/pod-security-standards/#restricted */
export function podSecurityFindings(manifests: Manifests): string[] {
  return [
    ...podsOf(manifests)
      .filter(({ byOperator }) => !byOperator)
      .flatMap((pods) => [...ofPod(pods), ...ofContainers(pods)]),
    ...ofNamespaces(manifests),
  ];
}

/** Volume types without access to the node. */
const volumeKinds = [
  'configMap',
  'csi',
  'downwardAPI',
  'emptyDir',
  'ephemeral',
  'persistentVolumeClaim',
  'projected',
  'secret',
];

function ofPod({ manifest, field, spec }: Pods): string[] {
  const at = (path: string) => `${field}.spec.${path}`;
  const ofNode = (['hostNetwork', 'hostPID', 'hostIPC'] as const).filter((name) => spec[name]);
  const volumes = (spec.volumes ?? []).flatMap(({ name, ...kinds }) =>
    Object.keys(kinds)
      .filter((kind) => !volumeKinds.includes(kind))
      .map((kind) =>
        finding(manifest, at(`volumes[${name}]`), `is a ${kind}, which restricted forbids.`),
      ),
  );
  return [
    ...ofNode.map((name) => finding(manifest, at(name), 'must not be set.')),
    ...volumes,
    ...(spec.securityContext?.sysctls?.length
      ? [finding(manifest, at('securityContext.sysctls'), 'must not be set.')]
      : []),
  ];
}

function ofContainers(pods: Pods): string[] {
  const { manifest, field, spec } = pods;
  return containersOf(pods).flatMap(({ name, securityContext = {}, ports = [] }) => {
    const merged = { ...spec.securityContext, ...securityContext } as ISecurityContext;
    const { capabilities = {}, seccompProfile, allowPrivilegeEscalation, privileged } = merged;
    const rules: [string, boolean, string][] = [
      ['runAsNonRoot', merged.runAsNonRoot === true, 'must be true'],
      [
        'runAsUser',
        typeof merged.runAsUser === 'number' && merged.runAsUser > 0,
        'must be a number above 0',
      ],
      ['allowPrivilegeEscalation', allowPrivilegeEscalation === false, 'must be false'],
      ['privileged', privileged !== true, 'must not be true'],
      ['capabilities.drop', capabilities.drop?.includes('ALL') ?? false, 'must have ALL'],
      [
        'capabilities.add',
        (capabilities.add ?? []).every((one) => one === 'NET_BIND_SERVICE'),
        'must be empty',
      ],
      [
        'seccompProfile.type',
        ['RuntimeDefault', 'Localhost'].includes(seccompProfile?.type ?? ''),
        'must be RuntimeDefault',
      ],
      // Not required by the standard, but no container here writes outside its volumes.
      ['readOnlyRootFilesystem', merged.readOnlyRootFilesystem === true, 'must be true'],
    ];
    const at = `${field}.spec.containers[${name}]`;
    return [
      ...rules
        .filter(([, holds]) => !holds)
        .map(([path, , problem]) =>
          finding(manifest, `${at}.securityContext.${path}`, `${problem}.`),
        ),
      ...(ports.some(({ hostPort }) => hostPort)
        ? [finding(manifest, `${at}.ports`, 'must have no hostPort.')]
        : []),
    ];
  });
}

function ofNamespaces(manifests: Manifests): string[] {
  return manifests
    .of<INamespace>('Namespace')
    .filter(
      ({ metadata }) => metadata.labels?.['pod-security.kubernetes.io/enforce'] !== 'restricted',
    )
    .map((namespace) =>
      finding(
        namespace,
        'metadata.labels',
        'must have pod-security.kubernetes.io/enforce: restricted, otherwise the standard is not enforced.',
      ),
    );
}

/** Pods that get a token for the Kubernetes API, which none of them uses. */
export function tokenFindings(manifests: Manifests): string[] {
  const pods = podsOf(manifests)
    .filter(({ byOperator, spec }) => !byOperator && spec.automountServiceAccountToken !== false)
    .map(({ manifest, field }) =>
      finding(manifest, `${field}.spec.automountServiceAccountToken`, 'must be false.'),
    );
  const accounts = manifests
    .of<IServiceAccount>('ServiceAccount')
    .filter(({ automountServiceAccountToken }) => automountServiceAccountToken !== false)
    .map((account) => finding(account, 'automountServiceAccountToken', 'must be false.'));
  return [...pods, ...accounts];
}
