import type { IService } from 'kubernetes-models/v1';

import type { Manifests } from '../build/manifests.js';
import { type Pods, podsOf, portsOf } from '../build/pods.js';
import { selects } from '../objects/label-selector.js';

/** A configured host and port. */
export interface Address {
  host: string;
  port: number;
}

const defaultPorts: Record<string, number> = {
  http: 80,
  https: 443,
  nats: 4222,
  'nats-route': 6222,
  postgres: 5432,
  postgresql: 5432,
  tls: 4222,
};

/** Every address in a text: `postgres://user:password@a:5432,b:5432/name`, `nats://a, nats://b`, lists of them. */
export function addressesIn(text: string): Address[] {
  return text.split(/[\s,]+(?=[a-z-]+:\/\/)/).flatMap((url) => {
    const [, scheme = '', hosts = ''] =
      /([a-z-]+):\/\/(?:[^\s@/"']*@)?([^\s/?"']+)/.exec(url) ?? [];
    return hostsIn(hosts).map(({ host, port }) => ({
      host,
      port: port || (defaultPorts[scheme] ?? 0),
    }));
  });
}

/** Every address in a list of hosts without a scheme: `a:6379, b:6379`. The port is 0 if none is given. */
export const hostsIn = (text: string): Address[] =>
  text
    .split(/[\s,]+/)
    .filter((part) => part !== '')
    .map((part) => {
      const [, host = part, port] = /^(.*?)(?::(\d+))?$/.exec(part) ?? [];
      return { host, port: Number(port ?? 0) };
    });

/** The pods, and their port, that an address resolves to; none if it is outside of the variant. */
export function podsBehind(
  manifests: Manifests,
  { host, port }: Address,
  namespace = 'roster',
): { pods: Pods; port: number }[] {
  const parts = host.split('.');
  const service = manifests
    .of<IService>('Service')
    .find(({ metadata }) => namesService(parts, metadata.name, metadata.namespace ?? namespace));
  const all = podsOf(manifests);
  if (service) {
    const { selector, ports = [] } = service.spec ?? {};
    const target = ports.find((each) => each.port === port)?.targetPort ?? port;
    return all
      .filter(({ labels }) => selector && selects({ matchLabels: selector }, labels))
      .flatMap((pods) => {
        const open = portsOf(pods).find(
          ({ name, containerPort }) => target === name || target === containerPort,
        );
        return open ? [{ pods, port: open.containerPort }] : [];
      });
  }
  // CloudNativePG creates these Services.
  return all
    .filter(
      ({ byOperator, manifest }) =>
        byOperator &&
        ['rw', 'ro', 'r'].some((role) =>
          namesService(
            parts,
            `${manifest.metadata.name}-${role}`,
            manifest.metadata.namespace ?? namespace,
          ),
        ),
    )
    .map((pods) => ({ pods, port }));
}

/** `nats`, `nats.roster`, `nats-0.nats.roster.svc.cluster.local`. */
function namesService(parts: readonly string[], name: string, namespace: string): boolean {
  const full = [name, namespace, 'svc', 'cluster', 'local'];
  return [parts, parts.slice(1)].some(
    (rest) => rest.length > 0 && rest.every((part, index) => part === full[index]),
  );
}

/** The pods that open a port, for an unknown address. */
export const podsThatOpen = (manifests: Manifests, port: number): { pods: Pods; port: number }[] =>
  podsOf(manifests)
    .filter((pods) => portsOf(pods).some(({ containerPort }) => containerPort === port))
    .map((pods) => ({ pods, port }));
