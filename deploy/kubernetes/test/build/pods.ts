import type { ICluster } from '@kubernetes-models/cloudnative-pg/postgresql.cnpg.io/v1';
import type { ICronJob } from 'kubernetes-models/batch/v1';
import type { IDeployment } from 'kubernetes-models/apps/v1';
import type { IContainer, IPodSpec } from 'kubernetes-models/v1';

import type { Manifest, Manifests } from './manifests.js';

/** The pods of one workload, which differ only in their names. */
export interface Pods {
  manifest: Manifest;
  /** The path of the pod spec in the manifest. */
  field: string;
  namespace: string | undefined;
  labels: Record<string, string>;
  spec: IPodSpec;
  /** Set for pods created by an operator. Only their labels and ports are known. */
  byOperator?: true;
}

export function podsOf(manifests: Manifests): Pods[] {
  return manifests.all.flatMap((manifest) => {
    const found = templateOf(manifest) ?? instancesOf(manifest);
    return found ? [found] : [];
  });
}

export const containersOf = ({ spec }: Pods): IContainer[] => [
  ...(spec.initContainers ?? []),
  ...spec.containers,
];

/** The ports that containers declare. */
export const portsOf = ({ spec }: Pods) =>
  // A sidecar is an init container that opens its ports for the lifetime of the pod.
  [
    ...(spec.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === 'Always'),
    ...spec.containers,
  ].flatMap(({ ports = [] }) => ports);

function templateOf(manifest: Manifest): Pods | undefined {
  const within = manifest.kind === 'CronJob' ? 'spec.jobTemplate.spec.template' : 'spec.template';
  const template =
    manifest.kind === 'CronJob'
      ? (manifest as unknown as ICronJob).spec?.jobTemplate.spec?.template
      : ['Deployment', 'StatefulSet', 'DaemonSet', 'Job'].includes(manifest.kind)
        ? (manifest as unknown as IDeployment).spec?.template
        : undefined;
  if (!template?.spec) return undefined;
  return {
    manifest,
    field: within,
    namespace: manifest.metadata.namespace,
    labels: template.metadata?.labels ?? {},
    spec: template.spec,
  };
}

/** The pods that CloudNativePG creates for a Cluster. */
function instancesOf(manifest: Manifest): Pods | undefined {
  if (manifest.kind !== 'Cluster' || !manifest.apiVersion.startsWith('postgresql.cnpg.io/')) {
    return undefined;
  }
  const { name, namespace } = manifest.metadata;
  const { inheritedMetadata } = (manifest as unknown as ICluster).spec;
  return {
    manifest,
    field: 'spec',
    namespace,
    labels: {
      'cnpg.io/cluster': name,
      'cnpg.io/podRole': 'instance',
      'cnpg.io/instanceRole': 'primary',
      ...inheritedMetadata?.labels,
    },
    spec: {
      containers: [
        {
          name: 'postgres',
          ports: [
            { name: 'postgresql', containerPort: 5432 },
            { name: 'metrics', containerPort: 9187 },
            { name: 'status', containerPort: 8000 },
          ],
        },
      ],
    },
    byOperator: true,
  };
}
