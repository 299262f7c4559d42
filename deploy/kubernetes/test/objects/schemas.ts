import ValidationError from '@kubernetes-models/validate/runtime/validation_error';

import type { Manifest, Manifests } from '../build/manifests.js';
import { finding } from './finding.js';

type Models = Record<string, unknown>;

/** Kinds of Kubernetes itself. */
const builtIn: Record<string, () => Promise<Models>> = {
  v1: () => import('kubernetes-models/v1'),
  'apps/v1': () => import('kubernetes-models/apps/v1'),
  'autoscaling/v2': () => import('kubernetes-models/autoscaling/v2'),
  'batch/v1': () => import('kubernetes-models/batch/v1'),
  'networking.k8s.io/v1': () => import('kubernetes-models/networking.k8s.io/v1'),
  'policy/v1': () => import('kubernetes-models/policy/v1'),
  'rbac.authorization.k8s.io/v1': () => import('kubernetes-models/rbac.authorization.k8s.io/v1'),
};

/** Kinds of operators. */
const custom: Record<string, () => Promise<Models>> = {
  'barmancloud.cnpg.io/v1': () => import('./object-store.js'),
  'external-secrets.io/v1': () =>
    import('@kubernetes-models/external-secrets/external-secrets.io/v1'),
  'gateway.networking.k8s.io/v1': () =>
    import('@kubernetes-models/gateway-api/gateway.networking.k8s.io/v1'),
  'keda.sh/v1alpha1': () => import('@kubernetes-models/keda/keda.sh/v1alpha1'),
  'monitoring.coreos.com/v1': () =>
    import('@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1'),
  'postgresql.cnpg.io/v1': () => import('@kubernetes-models/cloudnative-pg/postgresql.cnpg.io/v1'),
};

export const isBuiltIn = ({ apiVersion }: Manifest): boolean => apiVersion in builtIn;

/** Unknown kinds, values that the schema of the kind rejects, and unknown fields. */
export async function schemaFindings({ all }: Manifests): Promise<string[]> {
  return (await Promise.all(all.map(judge))).flat();
}

async function judge(manifest: Manifest): Promise<string[]> {
  const { apiVersion, kind } = manifest;
  const models = await (builtIn[apiVersion] ?? custom[apiVersion])?.();
  const model = models?.[kind] as { prototype: { validate(): void } } | undefined;
  if (!model) return [finding(manifest, 'kind', `${kind} of ${apiVersion} is unknown.`)];

  const fields: Field[] = [];
  const problems = refusals(() => model.prototype.validate.call(watch(manifest, '', fields)));
  return [
    ...problems.map(({ path, message }) => finding(manifest, path, `${message}.`)),
    ...unread(fields).map((path) => finding(manifest, path, 'is not a field of this kind.')),
  ];
}

function refusals(validate: () => void): { path: string; message: string }[] {
  try {
    validate();
    return [];
  } catch (error) {
    if (!(error instanceof ValidationError)) throw error;
    return error.errors.map(({ instancePath = '', message = 'is refused' }) => ({
      path: instancePath.slice(1).replaceAll('/', '.') || 'the object',
      message,
    }));
  }
}

interface Field {
  path: string;
  value: object;
  read: Set<string>;
}

/**
 * The models accept unknown fields, but read every known field, whether it is present or not. Therefore a field that
 * was not read is unknown, unless its object has no known fields.
 */
function watch(value: unknown, path: string, fields: Field[]): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const read = new Set<string>();
  const children = new Map<string, unknown>();
  fields.push({ path, value, read });
  return new Proxy(value, {
    get(target, key) {
      const child: unknown = Reflect.get(target, key);
      if (typeof key === 'symbol') return child;
      read.add(key);
      if (!children.has(key)) {
        children.set(key, watch(child, path === '' ? key : `${path}.${key}`, fields));
      }
      return children.get(key);
    },
  });
}

function unread(fields: Field[]): string[] {
  return fields
    .filter(({ read }) => read.size > 0)
    .flatMap(({ path, value, read }) =>
      Object.keys(value)
        .filter((key) => !read.has(key))
        .map((key) => (path === '' ? key : `${path}.${key}`)),
    );
}
