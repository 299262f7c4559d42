/** A field of an object that is a value of the chart. Its default is what the manifests contain. */
export interface Setting {
  /** Kind and name of the object. */
  object: string;
  /** Whose object it is, where several components have one of that name. */
  component?: string;
  path: string;
  /** The path in the values. */
  value: string;
  schema: object;
}

export const services = ['contacts', 'users', 'webhooks', 'dispatcher'];
export const processes = ['gateway', ...services];

const count = { type: 'integer', minimum: 1 };
const text = { type: 'string', minLength: 1 };
const quantities = { type: 'object', additionalProperties: { type: ['string', 'number'] } };
const resources = {
  type: 'object',
  properties: { requests: quantities, limits: quantities, claims: { type: 'array' } },
  additionalProperties: false,
};
const addresses = { type: 'array', minItems: 1, items: { type: 'object' } };

/** For each process, and for what else differs between installations. All else is patched after rendering. */
export const settings: readonly Setting[] = [
  ...processes.flatMap((name) => [
    {
      object: `Deployment ${name}`,
      path: 'spec.template.spec.containers.0.resources',
      value: `${name}.resources`,
      schema: resources,
    },
    {
      object: `Deployment ${name}`,
      path: 'spec.template.spec.containers.0.env.NODE_OPTIONS.value',
      value: `${name}.nodeOptions`,
      schema: { type: 'string' },
    },
  ]),
  ...['users', 'webhooks', 'dispatcher'].map((name) => ({
    object: `Deployment ${name}`,
    path: 'spec.replicas',
    value: `${name}.replicas`,
    schema: count,
  })),
  ...['gateway', 'contacts'].flatMap((name) =>
    ['minReplicas', 'maxReplicas'].map((field) => ({
      object: `HorizontalPodAutoscaler ${name}`,
      path: `spec.${field}`,
      value: `${name}.${field}`,
      schema: count,
    })),
  ),
  {
    object: 'Job migrate',
    path: 'spec.template.spec.containers.0.resources',
    value: 'migrate.resources',
    schema: resources,
  },
  ...['min', 'max'].map((bound) => ({
    object: 'ScaledObject dispatcher',
    path: `spec.${bound}ReplicaCount`,
    value: `keda.${bound}Replicas`,
    schema: count,
  })),
  ...[
    ['spec.ingressClassName', 'className'],
    ['spec.rules.0.host', 'host'],
    ['spec.tls.0.hosts.0', 'host'],
    ['spec.tls.0.secretName', 'tlsSecret'],
  ].map(([path, field]) => ({
    object: 'Ingress gateway',
    path: path!,
    value: `ingress.${field}`,
    schema: text,
  })),
  {
    object: 'HTTPRoute gateway',
    path: 'spec.hostnames',
    value: 'gatewayApi.hostnames',
    schema: { type: 'array', minItems: 1, items: text },
  },
  {
    object: 'HTTPRoute gateway',
    path: 'spec.parentRefs',
    value: 'gatewayApi.parentRefs',
    schema: { type: 'array', minItems: 1, items: { type: 'object', required: ['name'] } },
  },
  {
    object: 'ConfigMap canary',
    path: 'data.CANARY_URL',
    value: 'canary.url',
    schema: text,
  },
  {
    object: 'ObjectStore postgres',
    path: 'spec.configuration.destinationPath',
    value: 'postgres.backupsPath',
    schema: text,
  },
  {
    object: 'NetworkPolicy to-postgres',
    component: 'external-postgres',
    path: 'spec.egress.0.to',
    value: 'externalPostgres.addresses',
    schema: addresses,
  },
  {
    object: 'NetworkPolicy to-nats',
    component: 'external-nats',
    path: 'spec.egress.0.to',
    value: 'externalNats.addresses',
    schema: addresses,
  },
];

/** Where manifests name a Secret that is provided: `secretKeyRef.name` and so on. */
const secretFields = [
  /\.secretKeyRef\.name$/,
  /\.secret\.(secretName|name)$/,
  /\.passwordSecret\.name$/,
  /\.s3Credentials\.\w+\.name$/,
  /^spec\.target\.name$/,
];

/** Created by an operator. */
const made = new Set(['postgres-ca']);

export const isSecretName = (path: string, value: string): boolean =>
  !made.has(value) && secretFields.some((field) => field.test(path));
