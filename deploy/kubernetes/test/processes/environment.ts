import type { IConfigMap, IContainer } from 'kubernetes-models/v1';

import type { Manifests } from '../build/manifests.js';
import { containersOf, podsOf } from '../build/pods.js';
import { finding } from '../objects/finding.js';
import { namesAndPasswords, type Process, processesOf } from './processes.js';
import { secretValue } from '../objects/secrets.js';

/** Sample values of Secrets that are not part of the variant. */
const databaseUrl = 'postgres://roster:secret@postgres.example:5432/roster';
export const samples: Record<string, string> = {
  DATABASE_URL: databaseUrl,
  ...Object.fromEntries(Object.keys(namesAndPasswords).map((name) => [name, databaseUrl])),
  NATS_URL: 'nats://nats.example:4222',
  CALLER_PUBLIC_KEYS: `sample:${Buffer.alloc(32, 7).toString('base64')}`,
  CALLER_SIGNING_KEY: `sample:${Buffer.alloc(32, 7).toString('base64')}`,
  DELIVERY_PROXY: 'http://user:password@proxy.example:3128',
  TOKEN_KEYS: `sample:${Buffer.alloc(32, 7).toString('base64')}`,
};

/** Read by Node itself. */
const ofNode = ['NODE_OPTIONS'];

/** Variables read by the images of servers, by image name; https://hub.docker.com/_/postgres, and Go's runtime. */
const ofServers: Record<string, readonly string[]> = {
  nats: [
    ...['GOMAXPROCS', 'GOMEMLIMIT', 'POD_NAME'],
    // By nats.conf.
    ...['ROUTES', 'ROUTES_AUTHORIZATION', 'ROUTES_PASSWORD'],
  ],
  postgres: [
    'PGDATA',
    'POSTGRES_DB',
    'POSTGRES_HOST_AUTH_METHOD',
    'POSTGRES_INITDB_ARGS',
    'POSTGRES_PASSWORD',
    'POSTGRES_PASSWORD_FILE',
    'POSTGRES_USER',
  ],
};

export interface Variable {
  name: string;
  /** Undefined for a Secret that is not part of the variant. */
  value: string | undefined;
  /** The Secret's or ConfigMap's name, or the container itself. */
  source: string;
}

/** The environment of the process in a container. Later sources win over earlier ones, `env` over `envFrom`. */
export function environmentOf(manifests: Manifests, container: IContainer): Variable[] {
  const variables = [
    ...(container.envFrom ?? []).flatMap(({ configMapRef, prefix = '' }): Variable[] => {
      const name = configMapRef?.name ?? '';
      const { data = {} } = manifests.find<IConfigMap>('ConfigMap', name) ?? {};
      return Object.entries(data).map(([key, value]) => ({
        name: `${prefix}${key}`,
        value,
        source: `ConfigMap ${name}`,
      }));
    }),
    ...(container.env ?? []).map((entry): Variable => {
      const { configMapKeyRef: map, secretKeyRef: secret, fieldRef } = entry.valueFrom ?? {};
      if (map) {
        const { data = {} } = manifests.find<IConfigMap>('ConfigMap', map.name ?? '') ?? {};
        return { name: entry.name, value: data[map.key], source: `ConfigMap ${map.name}` };
      }
      if (secret) {
        const value = secretValue(manifests, secret.name ?? '', secret.key);
        return { name: entry.name, value, source: `Secret ${secret.name}` };
      }
      return { name: entry.name, value: fieldRef ? 'field' : (entry.value ?? ''), source: 'env' };
    }),
  ];
  return [...new Map(variables.map((variable) => [variable.name, variable])).values()];
}

/** The parsed configuration, or undefined if the process would refuse to start. */
export const configOf = (
  manifests: Manifests,
  { schema, container }: Process,
): Record<string, unknown> | undefined =>
  schema.safeParse(valuesOf(environmentOf(manifests, container))).data;

/** Processes treat an empty value as unset. */
const valuesOf = (variables: readonly Variable[]): Record<string, string> =>
  Object.fromEntries(
    variables
      .map(({ name, value }) => [name, value ?? samples[name] ?? ''] as const)
      .filter(([, value]) => value !== ''),
  );

/** Variables that the process does not read, values that it rejects, and values that make it unreachable. */
export function environmentFindings(manifests: Manifests): string[] {
  const ofProcesses = processesOf(manifests).flatMap((process) => {
    const variables = environmentOf(manifests, process.container);
    const config = configOf(manifests, process) ?? {};
    return [
      ...unreadVariables(process, variables, [...Object.keys(process.schema.shape), ...ofNode]),
      ...refusedValues(process, variables),
      ...otherPorts(process, config),
      ...unreachableHosts(process, config),
    ];
  });
  return [
    ...ofProcesses,
    ...serverContainers(manifests).flatMap((server) => {
      const variables = environmentOf(manifests, server.container);
      return unreadVariables(server, variables, ofServers[server.name] ?? []);
    }),
  ];
}

type Container = Pick<Process, 'name' | 'pods' | 'container'>;

/** The containers of PostgreSQL and NATS. */
export const serverContainers = (manifests: Manifests): Container[] =>
  podsOf(manifests).flatMap((pods) =>
    containersOf(pods).flatMap((container) => {
      const [name = ''] = container.image?.split('/').at(-1)?.split(/[:@]/) ?? [];
      return name in ofServers ? [{ name, pods, container }] : [];
    }),
  );

const at = ({ pods, container }: Container, field: string) =>
  `${pods.field}.spec.containers[${container.name}].${field}`;

function unreadVariables(
  container: Container,
  variables: readonly Variable[],
  read: readonly string[],
): string[] {
  return variables
    .filter(({ name }) => !read.includes(name))
    .map(({ name, source }) =>
      finding(
        container.pods.manifest,
        at(container, source === 'env' ? 'env' : `env, by ${source},`),
        `sets ${name}, which ${container.name} does not read.`,
      ),
    );
}

function refusedValues(process: Process, variables: readonly Variable[]): string[] {
  const { name: processName, schema, pods } = process;
  const values = valuesOf(variables);
  const { error } = schema.safeParse(values);
  return (error?.issues ?? []).map(({ path, message }) => {
    const name = path.join('.');
    const problem =
      name in values
        ? `has ${name}, which ${processName} rejects: ${message}`
        : `lacks ${name}, which ${processName} requires`;
    return finding(pods.manifest, at(process, 'env'), `${problem}.`);
  });
}

/** The configured ports of a process, by their names in the container. */
const listensOn = { PORT: 'http', ADMIN_PORT: 'admin' };

function otherPorts(process: Process, config: Record<string, unknown>): string[] {
  const { pods, container } = process;
  return Object.entries(listensOn).flatMap(([variable, portName]) => {
    const listening = config[variable] as number | undefined;
    const open = container.ports?.find(({ name }) => name === portName)?.containerPort;
    if (listening === undefined || listening === open) return [];
    return [
      finding(
        pods.manifest,
        at(process, 'ports'),
        open === undefined
          ? `has no port ${portName}, although ${variable} is ${listening}.`
          : `opens ${open} as ${portName}, but ${variable} is ${listening}.`,
      ),
    ];
  });
}

/** By default processes listen on loopback, where neither probes nor other pods reach them. */
function unreachableHosts(process: Process, config: Record<string, unknown>): string[] {
  return ['HOST', 'ADMIN_HOST']
    .filter((name) => name in config && !['0.0.0.0', '::'].includes(config[name] as string))
    .map((name) =>
      finding(
        process.pods.manifest,
        at(process, 'env'),
        `has ${name} ${config[name] as string}, which is not reachable from outside of the pod: use 0.0.0.0.`,
      ),
    );
}
