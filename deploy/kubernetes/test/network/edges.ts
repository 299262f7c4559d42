import type { IScaledObject } from '@kubernetes-models/keda/keda.sh/v1alpha1';
import type { IPodMonitor } from '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1';
import type { IConfigMap, IContainer } from 'kubernetes-models/v1';

import type { Manifests } from '../build/manifests.js';
import { type Pods, podsOf, portsOf } from '../build/pods.js';
import { environmentOf, samples, serverContainers } from '../processes/environment.js';
import { nameOf } from '../objects/finding.js';
import { selects } from '../objects/label-selector.js';
import { type Process, processesOf } from '../processes/processes.js';
import {
  cloudNativePg,
  dns,
  endpointOf,
  keda,
  outside,
  platformPods,
  prometheus,
  unrelatedPods,
} from './endpoints.js';
import type { Connection, Endpoint } from './network-policies.js';
import { type ServerVariable, serverVariables } from './server-variables.js';
import { type Address, addressesIn, hostsIn, podsBehind, podsThatOpen } from './servers.js';

/** A connection that a configuration requires. */
export interface Edge extends Connection {
  because: string;
  /** Connections to external addresses on every port: webhook deliveries. */
  anyPort?: true;
}

/** External addresses, one example per kind. */
export const privateAddress = '10.20.30.40';
export const publicAddresses = ['93.184.215.14', '2606:2800:21f:cb07:6820:80da:af6b:8b2c'];

/** Every connection that the manifests and their processes are configured to make. */
export function neededEdges(
  manifests: Manifests,
  processes: readonly Process[] = processesOf(manifests),
): Edge[] {
  const pods = podsOf(manifests);
  const edges = [
    ...processes.flatMap((process) => ofProcess(manifests, process)),
    ...pods.flatMap((each) => ofMountedFiles(manifests, each)),
    ...ofServerVariables(manifests),
    ...pods.filter(({ byOperator }) => byOperator).flatMap((each) => ofCluster(manifests, each)),
    ...ofScaledObjects(manifests),
    ...pods.filter(isCanary).flatMap((each) => ofCanary(manifests, each)),
    ...ofMonitors(manifests, pods),
  ];
  return [...edges, ...ofNames(manifests, pods)];
}

/** The clients of the API: the key of each request authenticates it, not its address. */
const anyClient = [...unrelatedPods, ...publicAddresses.map(outside), ...platformPods];

/** Connections of a process to the servers in its variables, and of clients to its API. */
function ofProcess(manifests: Manifests, process: Process): Edge[] {
  const { name, schema, pods, container } = process;
  const self = endpointOf(manifests, pods);
  const connects = serverVariables(manifests, process).flatMap((variable) =>
    serversOf(manifests, variable).map(({ to, port }) =>
      tcp(self, to, port, `${variable.name} of ${name}`),
    ),
  );
  const receivers = 'ATTEMPTS_MAX' in schema.shape ? ofReceivers(manifests, self, container) : [];
  // The port it listens on is compared with the container's in environment.ts.
  const http = container.ports?.find((port) => port.name === 'http')?.containerPort;
  const serves = http ? anyClient.map((from) => tcp(from, self, http, `the API of ${name}`)) : [];
  return [...connects, ...receivers, ...serves];
}

/**
 * The process that attempts deliveries sends to public addresses, unless a proxy does, and to the receivers of this variant if it allows private
 * addresses.
 */
function ofReceivers(manifests: Manifests, self: Endpoint, container: IContainer): Edge[] {
  const because = `deliveries of ${self.name}`;
  const variables = environmentOf(manifests, container);
  const allowed = variables.find(({ name }) => name === 'ALLOW_TARGETS')?.value ?? '';
  const throughProxy = variables.some(({ name }) => name === 'DELIVERY_PROXY');
  const processes = processesOf(manifests).map(({ pods }) => pods.manifest);
  const receivers = podsOf(manifests).filter(({ manifest }) => !processes.includes(manifest));
  return [
    ...(throughProxy ? [] : publicAddresses).map((address): Edge => ({
      ...tcp(self, outside(address), 443, because),
      anyPort: true,
    })),
    // The canary is sent to at its public address.
    ...(allowed === '' ? [] : receivers.filter((one) => !isCanary(one))).flatMap((pods) =>
      portsOf(pods)
        .filter(({ name }) => name === 'http')
        .map(({ containerPort }) => tcp(self, endpointOf(manifests, pods), containerPort, because)),
    ),
  ];
}

interface Server {
  to: Endpoint;
  port: number;
}

function serversOf(manifests: Manifests, { name, value }: ServerVariable): Server[] {
  if (value !== undefined) {
    const urls = addressesIn(value);
    return (urls.length > 0 ? urls : hostsIn(value)).flatMap((each) => serversAt(manifests, each));
  }
  const sample = samples[name];
  if (sample === undefined) return [serverOutside({ host: `the server of ${name}`, port: 0 })];
  // The value of a Secret is not known here. If a pod of this variant opens the port, it is the server; otherwise the
  // server is external.
  return addressesIn(sample).flatMap((address) => {
    const inside = podsThatOpen(manifests, address.port);
    return inside.length > 0 ? inside.map(serverIn(manifests)) : [serverOutside(address)];
  });
}

function serversAt(manifests: Manifests, address: Address): Server[] {
  const inside = podsBehind(manifests, address);
  return inside.length > 0 ? inside.map(serverIn(manifests)) : [serverOutside(address)];
}

const serverIn =
  (manifests: Manifests) =>
  ({ pods, port }: { pods: Pods; port: number }): Server => ({
    to: endpointOf(manifests, pods),
    port,
  });

const serverOutside = ({ host, port }: Address): Server => ({
  to: { name: host, address: privateAddress },
  port,
});

/** Servers named in a variable of a server, such as the routes of NATS. */
const ofServerVariables = (manifests: Manifests): Edge[] =>
  serverContainers(manifests).flatMap(({ pods, container }) => {
    const self = endpointOf(manifests, pods);
    return environmentOf(manifests, container).flatMap(({ name, value = '' }) =>
      addressesIn(value).flatMap((address) =>
        serversAt(manifests, address).map(({ to, port }) =>
          tcp(self, to, port, `${name} of ${self.name}`),
        ),
      ),
    );
  });

/** Servers named in a configuration file. */
function ofMountedFiles(manifests: Manifests, pods: Pods): Edge[] {
  const self = endpointOf(manifests, pods);
  return (pods.spec.volumes ?? []).flatMap(({ configMap }) => {
    const { data = {} } = manifests.find<IConfigMap>('ConfigMap', configMap?.name ?? '') ?? {};
    return Object.entries(data).flatMap(([file, text]) =>
      addressesIn(text.replace(/^\s*(#|\/\/).*$/gm, '')).flatMap((address) =>
        serversAt(manifests, address).map(({ to, port }) =>
          tcp(self, to, port, `${file} of ${self.name}`),
        ),
      ),
    );
  });
}

const isCanary = ({ labels }: Pods): boolean => labels['app.kubernetes.io/name'] === 'canary';

/** Of the gateway it is a client like any other, and it is a receiver that is open to all. */
function ofCanary(manifests: Manifests, pods: Pods): Edge[] {
  const self = endpointOf(manifests, pods);
  const variables = pods.spec.containers.flatMap((each) => environmentOf(manifests, each));
  const api = variables.find(({ name }) => name === 'ROSTER_URL')?.value ?? '';
  const [http] = portsOf(pods).filter(({ name }) => name === 'http');
  return [
    ...addressesIn(api).flatMap((address) =>
      serversAt(manifests, address).map(({ to, port }) =>
        tcp(self, to, port, `ROSTER_URL of ${self.name}`),
      ),
    ),
    ...(http ? anyClient : []).map((from) =>
      tcp(from, self, http!.containerPort, `deliveries to ${self.name}`),
    ),
  ];
}

/** https://cloudnative-pg.io/documentation/current/networking/ */
function ofCluster(manifests: Manifests, pods: Pods): Edge[] {
  const self = endpointOf(manifests, pods);
  const name = self.name;
  return [
    tcp(self, self, 5432, `replication of ${name}`),
    tcp(self, self, 8000, `status of ${name}`),
    tcp(cloudNativePg, self, 8000, `status of ${name}`),
    tcp(cloudNativePg, self, 5432, `operator of ${name}`),
    ...[443, 6443].map((port) =>
      tcp(self, serverOutside({ host: 'the Kubernetes API', port }).to, port, `leases of ${name}`),
    ),
  ];
}

function ofScaledObjects(manifests: Manifests): Edge[] {
  return manifests.of<IScaledObject>('ScaledObject').flatMap(({ metadata, spec }) =>
    spec.triggers
      .flatMap((trigger) => trigger.metadata?.natsServerMonitoringEndpoint ?? [])
      .flatMap((endpoint) => addressesIn(`http://${endpoint}`))
      .flatMap((address) => serversAt(manifests, address))
      .map(({ to, port }) => tcp(keda, to, port, `ScaledObject ${metadata.name}`)),
  );
}

/** Ports with these names are scraped, by the PodMonitor of the variant or by one of the platform team. */
const monitoringPorts = ['admin', 'metrics', 'monitor'];

function ofMonitors(manifests: Manifests, pods: readonly Pods[]): Edge[] {
  const usual = pods.flatMap((each) =>
    portsOf(each)
      .filter(({ name }) => monitoringPorts.includes(name ?? ''))
      .map(({ containerPort }) =>
        tcp(
          prometheus,
          endpointOf(manifests, each),
          containerPort,
          `metrics of ${nameOf(each.manifest)}`,
        ),
      ),
  );
  const monitored = manifests.of<IPodMonitor>('PodMonitor').flatMap(({ metadata, spec }) =>
    pods
      .filter(({ labels }) => selects(spec.selector, labels))
      .flatMap((each) => {
        const scraped = (spec.podMetricsEndpoints ?? []).map(({ port }) => port);
        return portsOf(each)
          .filter(({ name }) => scraped.includes(name))
          .map(({ containerPort }) =>
            tcp(
              prometheus,
              endpointOf(manifests, each),
              containerPort,
              `PodMonitor ${metadata.name}`,
            ),
          );
      }),
  );
  return [...usual, ...monitored];
}

/** Every pod resolves names with DNS. */
const ofNames = (manifests: Manifests, pods: readonly Pods[]): Edge[] =>
  pods
    .map((each) => endpointOf(manifests, each))
    .flatMap((from) =>
      (['UDP', 'TCP'] as const).map((protocol) => ({
        ...tcp(from, dns, 53, `names that ${from.name} looks up`),
        protocol,
      })),
    );

const tcp = (from: Endpoint, to: Endpoint, port: number, because: string): Edge => ({
  from,
  to,
  port,
  protocol: 'TCP',
  because,
});
