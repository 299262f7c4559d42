import type { ClientConfig } from 'pg';

/**
 * Options of a connection to one server, from those of all. The driver hides the password and the private key from copies of its
 * options. For an IP address it names no host to TLS, which would then accept a certificate for `localhost`.
 */
export function clientConfig(
  config: ClientConfig,
  { host, port }: { host: string; port: number },
): ClientConfig {
  const { password, ssl } = config;
  const all = { ...config, password, host, port };
  if (!ssl) return all;
  if (ssl === true) return { ...all, ssl: { host } };
  return { ...all, ssl: { ...ssl, ...(ssl.key && { key: ssl.key }), host } };
}
