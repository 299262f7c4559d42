import type { IExternalSecret } from '@kubernetes-models/external-secrets/external-secrets.io/v1';
import { programNames, serviceNames } from '@roster/contracts';
import type { ISecret } from 'kubernetes-models/v1';

import type { Manifests } from '../build/manifests.js';

/** The Secrets that the platform team provides if neither an overlay nor an operator creates them. */
export const secretsToProvide: Record<string, readonly string[]> = {
  // Of the owner of a workspace of its own.
  canary: ['api-key'],
  'caller-keys': ['signing', 'public'],
  // admin and password: for the component single-node, which gives its server this superuser.
  database: ['migrate', 'contacts', 'users', 'webhooks', 'dispatcher', 'admin', 'password'],
  // Of the component egress-proxy.
  'delivery-proxy': ['url'],
  // The certificate of an ingress, usually created by cert-manager.
  'gateway-tls': ['tls.crt', 'tls.key'],
  // users.conf and routes-password: for NATS servers of this namespace. Seeds: of each program, unless the URL has a user.
  nats: ['url', 'users.conf', 'routes-password', ...programNames.map((name) => `${name}-seed`)],
  // The certificate of NATS servers of this namespace, or that of clients of an external server.
  'nats-tls': ['ca.crt', 'tls.crt', 'tls.key'],
  // Credentials of the clients of an external server.
  'nats-creds': ['gateway', ...serviceNames].map((name) => `${name}.creds`),
  'postgres-backups': ['access-key-id', 'secret-access-key'],
  'postgres-contacts': ['username', 'password'],
  'postgres-dispatcher': ['username', 'password'],
  'postgres-migrator': ['username', 'password'],
  'postgres-users': ['username', 'password'],
  'postgres-webhooks': ['username', 'password'],
  'token-keys': ['keys'],
};

/** The keys that CloudNativePG writes into the Secret `<cluster>-app`. */
const clusterSecretKeys = [
  'dbname',
  'fqdn-jdbc-uri',
  'fqdn-uri',
  'host',
  'jdbc-uri',
  'password',
  'pgpass',
  'port',
  'uri',
  'user',
  'username',
];

/** The keys of every Secret that is part of the variant or created by its operators, by the name of the Secret. */
export function secretKeys(manifests: Manifests): Map<string, readonly string[]> {
  const written = manifests
    .of<ISecret>('Secret')
    .map(
      ({ metadata, data = {}, stringData = {} }) =>
        [metadata.name, [...Object.keys(data), ...Object.keys(stringData)]] as const,
    );
  const fetched = manifests.of<IExternalSecret>('ExternalSecret').map(
    ({ metadata, spec }) =>
      [
        spec?.target?.name ?? metadata.name,
        [
          ...(spec?.data ?? []).map(({ secretKey }) => secretKey),
          ...Object.keys(spec?.target?.template?.data ?? {}),
          // All properties of an entry are extracted: README.md lists those that the platform team must provide.
          ...(spec?.dataFrom ? (secretsToProvide[metadata.name] ?? []) : []),
        ],
      ] as const,
  );
  const clusters = manifests.all
    .filter(({ kind }) => kind === 'Cluster')
    .flatMap(({ metadata }) => [
      [`${metadata.name}-app`, clusterSecretKeys] as const,
      // The certificate authority of the cluster.
      [`${metadata.name}-ca`, ['ca.crt', 'ca.key']] as const,
    ]);
  return new Map([...clusters, ...fetched, ...written]);
}

/** The value of a Secret, if the variant contains it. */
export function secretValue(manifests: Manifests, name: string, key: string): string | undefined {
  const secret = manifests.find<ISecret>('Secret', name);
  const encoded = secret?.data?.[key];
  return (
    secret?.stringData?.[key] ??
    (encoded === undefined ? undefined : Buffer.from(encoded, 'base64').toString())
  );
}
