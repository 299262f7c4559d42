import type { IExternalSecret } from '@kubernetes-models/external-secrets/external-secrets.io/v1';
import type { ISecret } from 'kubernetes-models/v1';

import type { Manifests } from '../build/manifests.js';

/** The Secrets that a platform team brings where neither an overlay nor an operator makes them. */
export const secretsToProvide: Record<string, readonly string[]> = {
  // password: for the component single-node, whose server it makes the password of.
  database: ['url', 'password'],
  // The certificate of an ingress, mostly made by cert-manager.
  'gateway-tls': ['tls.crt', 'tls.key'],
  // users.conf: for servers of this namespace.
  nats: ['url', 'users.conf'],
  'postgres-backups': ['access-key-id', 'secret-access-key'],
  'token-keys': ['keys'],
};

/** What CloudNativePG writes into the Secret `<cluster>-app`. */
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

/** The keys of every Secret that the variant has or its operators make, by the Secret's name. */
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
          // Extracted are all properties of an entry: those that the platform team is told to put there.
          ...(spec?.dataFrom ? (secretsToProvide[metadata.name] ?? []) : []),
        ],
      ] as const,
  );
  const clusters = manifests.all
    .filter(({ kind }) => kind === 'Cluster')
    .map(({ metadata }) => [`${metadata.name}-app`, clusterSecretKeys] as const);
  return new Map([...clusters, ...fetched, ...written]);
}

/** A Secret's value where the variant writes it down. */
export function secretValue(manifests: Manifests, name: string, key: string): string | undefined {
  const secret = manifests.find<ISecret>('Secret', name);
  const encoded = secret?.data?.[key];
  return (
    secret?.stringData?.[key] ??
    (encoded === undefined ? undefined : Buffer.from(encoded, 'base64').toString())
  );
}
