import type { Manifests } from '../build/manifests.js';
import { type Pods, podsOf, portsOf } from '../build/pods.js';
import { type Process, processesOf } from '../processes/processes.js';
import { type Edge, neededEdges, privateAddress, publicAddresses } from './edges.js';
import {
  endpointOf,
  outside,
  platformPods,
  unlabelledPod,
  unrelatedPods,
  withAddress,
} from './endpoints.js';
import { type Connection, type Endpoint, NetworkPolicies } from './network-policies.js';

/** Required connections that the NetworkPolicies block. */
export function cutEdgeFindings(
  manifests: Manifests,
  processes: readonly Process[] = processesOf(manifests),
): string[] {
  const policies = new NetworkPolicies(manifests);
  const findings = neededEdges(manifests, processes).flatMap((edge) => {
    const verdict = policies.judge(edge);
    if (verdict.allowed) return [];
    const blocked =
      verdict.refusedBy === 'egress'
        ? `no NetworkPolicy allows this egress of ${edge.from.name}`
        : `no NetworkPolicy allows this ingress of ${edge.to.name}`;
    const { from, to, protocol, port, because } = edge;
    return [
      `${from.name} → ${to.name}, ${protocol} ${port || 'without a port'}, is required by ${because}, but ${blocked}.`,
    ];
  });
  return [...new Set(findings)];
}

/** Allowed connections that no configuration requires. */
export function openEdgeFindings(manifests: Manifests): string[] {
  const policies = new NetworkPolicies(manifests);
  const needed = neededEdges(manifests);
  const ports = new Map<string, number[]>();
  for (const connection of connectionsToTry(manifests)) {
    if (needed.some((edge) => covers(edge, connection))) continue;
    const verdict = policies.judge(connection);
    if (!verdict.allowed) continue;
    const by =
      verdict.by.length > 0
        ? `NetworkPolicy ${verdict.by.join(' and ')}`
        : 'default, because no NetworkPolicy selects the pods';
    const found = `${connection.from.name} → ${connection.to.name} is allowed by ${by}, but not required: TCP`;
    ports.set(found, [...(ports.get(found) ?? []), connection.port]);
  }
  return [...ports].map(([found, open]) => `${found} ${[...new Set(open)].join(', ')}.`);
}

/** Common ports that are tried in addition to the declared ones. */
export const otherPorts = [22, 53, 80, 443, 4222, 5432, 6443, 8080, 10250];

/** From every source to every pod, and from every pod to every kind of address. */
function connectionsToTry(manifests: Manifests): Connection[] {
  const all = podsOf(manifests);
  const own = all.map((pods) => ({ endpoint: withAddress(endpointOf(manifests, pods)), pods }));
  const others = [...unrelatedPods, unlabelledPod, ...platformPods];
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

/** Loopback, link-local, cloud metadata and private addresses. */
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
  // The address of an external server is only in its Secret: every external address may be it.
  const isTarget = edge.to.pod ? edge.to.name === to.name : to.address !== undefined;
  return isTarget && edge.port === port;
}
