import type { Manifests } from '../build/manifests.js';
import { type Pods, podsOf, portsOf } from '../build/pods.js';
import { type Process, processesOf } from '../processes/processes.js';
import { type Edge, neededEdges, privateAddress, publicAddresses } from './edges.js';
import {
  cloudNativePg,
  dns,
  endpointOf,
  foreigners,
  intruder,
  keda,
  outside,
  prometheus,
  withAddress,
} from './endpoints.js';
import { type Connection, type Endpoint, NetworkPolicies } from './network-policies.js';

/** Connections that a configuration needs and the policies cut. */
export function cutEdgeFindings(
  manifests: Manifests,
  processes: readonly Process[] = processesOf(manifests),
): string[] {
  const policies = new NetworkPolicies(manifests);
  const findings = neededEdges(manifests, processes).flatMap((edge) => {
    const verdict = policies.judge(edge);
    if (verdict.allowed) return [];
    const who =
      verdict.refusedBy === 'egress' ? `${edge.from.name} out` : `${edge.to.name} take it`;
    const { from, to, protocol, port, because } = edge;
    return [
      `${from.name} → ${to.name}, ${protocol} ${port || 'without a port'}, is needed by ${because}, but no NetworkPolicy lets ${who}.`,
    ];
  });
  return [...new Set(findings)];
}

/** Connections that the policies allow and no configuration needs. */
export function openEdgeFindings(manifests: Manifests): string[] {
  const policies = new NetworkPolicies(manifests);
  const needed = neededEdges(manifests);
  const ports = new Map<string, number[]>();
  for (const connection of conceivable(manifests)) {
    if (needed.some((edge) => covers(edge, connection))) continue;
    const verdict = policies.judge(connection);
    if (!verdict.allowed) continue;
    const by =
      verdict.by.length > 0 ? `NetworkPolicy ${verdict.by.join(' and ')}` : 'no policy at all';
    const found = `${connection.from.name} → ${connection.to.name} is open by ${by}, and nothing needs it: TCP`;
    ports.set(found, [...(ports.get(found) ?? []), connection.port]);
  }
  return [...ports].map(([found, open]) => `${found} ${[...new Set(open)].join(', ')}.`);
}

/** Ports that somebody may listen on, beside those that containers declare. */
export const otherPorts = [22, 53, 80, 443, 4222, 5432, 6443, 8080, 10250];

/** From everyone to every pod; from every pod to every kind of address. */
function conceivable(manifests: Manifests): Connection[] {
  const all = podsOf(manifests);
  const own = all.map((pods) => ({ endpoint: withAddress(endpointOf(manifests, pods)), pods }));
  const others = [...foreigners, intruder, prometheus, keda, cloudNativePg, dns];
  const sources: Endpoint[] = [
    ...own.map(({ endpoint }) => endpoint),
    ...others.map(withAddress),
    ...publicAddresses.map(outside),
  ];
  const inward = own.flatMap(({ endpoint, pods }) =>
    sources.flatMap((from) => portsToTry(pods).map((port) => tcp(from, endpoint, port))),
  );
  const addresses = [...publicAddresses, privateAddress, ...notPublic].map(outside);
  const ports = [...new Set([...otherPorts, ...all.flatMap(portsToTry)])];
  const outward = own.flatMap(({ endpoint }) =>
    [...addresses, ...others.map(withAddress)].flatMap((to) =>
      ports.map((port) => tcp(endpoint, to, port)),
    ),
  );
  return [...inward, ...outward];
}

/** Loopback, the node, clouds' metadata, private networks. */
export const notPublic = [
  '127.0.0.1',
  '169.254.169.254',
  '168.63.129.16',
  '172.16.0.1',
  '192.168.1.1',
  '100.100.100.200',
  'fd00:ec2::254',
  'fe80::1',
  '::1',
];

const portsToTry = (pods: Pods): number[] => [
  ...new Set([...portsOf(pods).map(({ containerPort }) => containerPort), ...otherPorts]),
];

const tcp = (from: Endpoint, to: Endpoint, port: number): Connection => ({
  from,
  to,
  port,
  protocol: 'TCP',
});

function covers(edge: Edge, { from, to, port, protocol }: Connection): boolean {
  if (edge.from.name !== from.name || edge.protocol !== protocol) return false;
  if (edge.anyPort) return publicAddresses.includes(to.name);
  // Where a server outside is, only its Secret knows: any address may be its own.
  const isThere = edge.to.pod ? edge.to.name === to.name : to.address !== undefined;
  return isThere && edge.port === port;
}
