import type {
  ICluster,
  IScheduledBackup,
} from '@kubernetes-models/cloudnative-pg/postgresql.cnpg.io/v1';
import type { IHTTPRoute } from '@kubernetes-models/gateway-api/gateway.networking.k8s.io/v1';
import type {
  IScaledObject,
  ITriggerAuthentication,
} from '@kubernetes-models/keda/keda.sh/v1alpha1';
import type { IStatefulSet } from 'kubernetes-models/apps/v1';
import type { IHorizontalPodAutoscaler } from 'kubernetes-models/autoscaling/v2';
import type { IIngress } from 'kubernetes-models/networking.k8s.io/v1';
import type { IConfigMap } from 'kubernetes-models/v1';

import type { Manifest, Manifests } from '../build/manifests.js';
import { type Pods, containersOf, podsOf } from '../build/pods.js';
import { finding } from './finding.js';
import { secretKeys, secretsToProvide } from './secrets.js';

interface Reference {
  from: Manifest;
  field: string;
  kind: string;
  name: string;
  /** The keys of a ConfigMap or a Secret. */
  key?: string | undefined;
}

/** References to objects, and to keys of ConfigMaps and Secrets, that do not exist. */
export function referenceFindings(manifests: Manifests): string[] {
  return missing(manifests)
    .filter((reference) => !isProvidedElsewhere(manifests, reference))
    .map(({ from, field, kind, name, key }) =>
      finding(
        from,
        field,
        key === undefined
          ? `names ${kind} ${name}, which does not exist.`
          : `names the key ${key} of ${kind} ${name}, which does not exist.`,
      ),
    );
}

/** The Secrets that must exist before this is applied. */
export function secretsByReference(manifests: Manifests): string[] {
  const names = missing(manifests)
    .filter((reference) => isProvidedElsewhere(manifests, reference))
    .map(({ name }) => name);
  return [...new Set(names)].toSorted();
}

function isProvidedElsewhere(manifests: Manifests, { kind, name, key }: Reference): boolean {
  const keys = kind === 'Secret' ? secretsToProvide[name] : undefined;
  if (!keys || secretKeys(manifests).has(name)) return false;
  return key === undefined || keys.includes(key);
}

function missing(manifests: Manifests): Reference[] {
  const secrets = secretKeys(manifests);
  return referencesOf(manifests).filter(({ kind, name, key }) => {
    if (kind === 'Secret') {
      const keys = secrets.get(name);
      return !keys || (key !== undefined && !keys.includes(key));
    }
    if (kind === 'ConfigMap' && key !== undefined) {
      const { data = {}, binaryData = {} } = manifests.find<IConfigMap>('ConfigMap', name) ?? {};
      return !(key in data) && !(key in binaryData);
    }
    return !manifests.has(kind, name);
  });
}

function referencesOf(manifests: Manifests): Reference[] {
  return [
    ...podsOf(manifests).flatMap(ofPods),
    ...manifests.all.flatMap((manifest) => ofKind[manifest.kind]?.(manifest as never) ?? []),
  ];
}

function ofPods(pods: Pods): Reference[] {
  const { manifest: from, spec } = pods;
  const at = (path: string) => `${pods.field}.spec.${path}`;
  const claims = (from as unknown as IStatefulSet).spec?.volumeClaimTemplates ?? [];
  const volumes = [...(spec.volumes ?? []), ...claims.map(({ metadata }) => metadata ?? {})].map(
    ({ name }) => name,
  );
  const account = spec.serviceAccountName;
  return [
    ...(account === undefined || account === 'default'
      ? []
      : [{ from, field: at('serviceAccountName'), kind: 'ServiceAccount', name: account }]),
    ...(spec.imagePullSecrets ?? []).map(({ name }) => ({
      from,
      field: at('imagePullSecrets'),
      kind: 'Secret',
      name: name ?? '',
    })),
    ...(spec.volumes ?? []).flatMap((volume) =>
      ofVolume(from, at(`volumes[${volume.name}]`), volume),
    ),
    ...containersOf(pods).flatMap((container) => [
      ...ofEnvironment(from, at(`containers[${container.name}]`), container),
      ...(container.volumeMounts ?? [])
        .filter(({ name }) => !volumes.includes(name))
        .map(({ name }) => ({
          from,
          field: at(`containers[${container.name}].volumeMounts`),
          kind: 'volume',
          name,
        })),
    ]),
  ];
}

type Container = ReturnType<typeof containersOf>[number];
type Volume = NonNullable<Pods['spec']['volumes']>[number];

function ofEnvironment(from: Manifest, at: string, { env, envFrom }: Container): Reference[] {
  return [
    ...(envFrom ?? []).flatMap(({ configMapRef, secretRef }) => [
      ...reference(from, `${at}.envFrom`, 'ConfigMap', configMapRef),
      ...reference(from, `${at}.envFrom`, 'Secret', secretRef),
    ]),
    ...(env ?? []).flatMap(({ name, valueFrom }) => [
      ...reference(from, `${at}.env[${name}]`, 'ConfigMap', valueFrom?.configMapKeyRef),
      ...reference(from, `${at}.env[${name}]`, 'Secret', valueFrom?.secretKeyRef),
    ]),
  ];
}

function ofVolume(from: Manifest, field: string, volume: Volume): Reference[] {
  const { configMap, secret, persistentVolumeClaim, projected } = volume;
  const items = (kind: string, name: string | undefined, keys: readonly { key: string }[] = []) =>
    name === undefined
      ? []
      : [{ from, field, kind, name }, ...keys.map(({ key }) => ({ from, field, kind, name, key }))];
  return [
    ...items('ConfigMap', configMap?.name, configMap?.items),
    ...items('Secret', secret?.optional === true ? undefined : secret?.secretName, secret?.items),
    ...items('PersistentVolumeClaim', persistentVolumeClaim?.claimName),
    ...(projected?.sources ?? []).flatMap((source) => [
      ...items('ConfigMap', source.configMap?.name, source.configMap?.items),
      ...items('Secret', source.secret?.name, source.secret?.items),
    ]),
  ];
}

interface NamedKey {
  name?: string | undefined;
  key?: string;
  optional?: boolean;
}

const reference = (
  from: Manifest,
  field: string,
  kind: string,
  to: NamedKey | undefined,
): Reference[] =>
  to?.name === undefined || to.optional === true
    ? []
    : [{ from, field, kind, name: to.name, key: to.key }];

interface BackupTo {
  configuration: { s3Credentials?: Record<string, NamedKey> };
}

/** References of objects other than pods. */
const ofKind: Record<string, (manifest: never) => Reference[]> = {
  StatefulSet: (from: Manifest & IStatefulSet) =>
    reference(from, 'spec.serviceName', 'Service', { name: from.spec?.serviceName }),
  HorizontalPodAutoscaler: (from: Manifest & IHorizontalPodAutoscaler) => {
    const target = from.spec?.scaleTargetRef;
    return reference(from, 'spec.scaleTargetRef', target?.kind ?? '', target);
  },
  ScaledObject: (from: Manifest & IScaledObject) => [
    ...reference(
      from,
      'spec.scaleTargetRef',
      from.spec.scaleTargetRef?.kind ?? 'Deployment',
      from.spec.scaleTargetRef,
    ),
    ...from.spec.triggers.flatMap(({ authenticationRef }) =>
      reference(
        from,
        'spec.triggers.authenticationRef',
        authenticationRef?.kind ?? 'TriggerAuthentication',
        authenticationRef,
      ),
    ),
  ],
  TriggerAuthentication: (from: Manifest & ITriggerAuthentication) =>
    (from.spec.secretTargetRef ?? []).flatMap((target) =>
      reference(from, 'spec.secretTargetRef', 'Secret', target),
    ),
  HTTPRoute: (from: Manifest & IHTTPRoute) => [
    // A Gateway of another namespace belongs to the platform team.
    ...(from.spec.parentRefs ?? [])
      .filter(({ namespace }) => namespace === undefined || namespace === from.metadata.namespace)
      .flatMap((parent) => reference(from, 'spec.parentRefs', parent.kind ?? 'Gateway', parent)),
    ...(from.spec.rules ?? []).flatMap(({ backendRefs = [] }) =>
      backendRefs.flatMap((backend) =>
        reference(from, 'spec.rules.backendRefs', backend.kind ?? 'Service', {
          name: backend.name,
        }),
      ),
    ),
  ],
  Ingress: (from: Manifest & IIngress) => [
    ...[
      from.spec?.defaultBackend,
      ...(from.spec?.rules ?? []).flatMap(({ http }) =>
        (http?.paths ?? []).map((path) => path.backend),
      ),
    ].flatMap((backend) =>
      reference(from, 'spec.rules.http.paths.backend', 'Service', { name: backend?.service?.name }),
    ),
    ...(from.spec?.tls ?? []).flatMap(({ secretName }) =>
      reference(from, 'spec.tls', 'Secret', { name: secretName }),
    ),
  ],
  ScheduledBackup: (from: Manifest & IScheduledBackup) =>
    reference(from, 'spec.cluster', 'Cluster', from.spec.cluster),
  Cluster: (from: Manifest & ICluster) => [
    ...(from.spec.plugins ?? []).flatMap(({ parameters }) =>
      reference(from, 'spec.plugins.parameters.barmanObjectName', 'ObjectStore', {
        name: parameters?.barmanObjectName,
      }),
    ),
    ...(from.spec.bootstrap?.initdb?.postInitApplicationSQLRefs?.configMapRefs ?? []).flatMap(
      (map) =>
        reference(from, 'spec.bootstrap.initdb.postInitApplicationSQLRefs', 'ConfigMap', map),
    ),
    ...(from.spec.managed?.roles ?? []).flatMap(({ passwordSecret }) =>
      reference(from, 'spec.managed.roles.passwordSecret', 'Secret', passwordSecret ?? {}),
    ),
  ],
  ObjectStore: (from: Manifest & { spec: BackupTo }) =>
    Object.values(from.spec.configuration.s3Credentials ?? {}).flatMap((key) =>
      reference(from, 'spec.configuration.s3Credentials', 'Secret', key),
    ),
};
