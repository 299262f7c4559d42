import type { Manifests } from '../build/manifests.js';
import { finding } from '../objects/finding.js';
import { environmentOf } from '../processes/environment.js';
import { processesOf } from '../processes/processes.js';

/** Kinds of objects that put a reverse proxy in front of the gateway. */
const proxies = ['Ingress', 'HTTPRoute'];
/** A range with more addresses than that of any private network has clients in it, too. */
const prefixBitsMin = 8;

/** Gateways behind a reverse proxy that do not trust it, so that all clients have its address, and ranges that contain clients. */
export function trustedProxyFindings(manifests: Manifests): string[] {
  const isBehindProxy = manifests.all.some(({ kind }) => proxies.includes(kind));
  return processesOf(manifests)
    .filter(({ name }) => name === 'gateway')
    .flatMap(({ pods, container }) => {
      const field = `TRUSTED_PROXIES of ${container.name}`;
      const given = environmentOf(manifests, container).find(
        ({ name }) => name === 'TRUSTED_PROXIES',
      );
      const ranges = (given?.value ?? '').split(',').filter((range) => range.trim() !== '');
      const wide = ranges.filter((range) => Number(range.split('/')[1]) < prefixBitsMin);
      return [
        ...(isBehindProxy && ranges.length === 0
          ? [finding(pods.manifest, field, 'is not set, although a proxy is in front of it.')]
          : []),
        ...wide.map((range) =>
          finding(pods.manifest, field, `contains ${range.trim()}, with the addresses of clients.`),
        ),
      ];
    });
}
