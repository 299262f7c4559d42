import { freePort, natsServer } from '@roster/embedded';
import { eventually } from '@roster/testing';
import type { ExecutionContext } from 'ava';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { parse } from 'yaml';

const component = new URL('../../../deploy/kubernetes/components/nats/', import.meta.url);

export interface Ports {
  client: number;
  cluster: number;
  monitor: number;
}

export const freePorts = async (): Promise<Ports> => ({
  client: await freePort(),
  cluster: await freePort(),
  monitor: await freePort(),
});

/** A NATS server with any configuration, ended with the test. */
export class NatsProcess {
  /** Number of connections of other servers that it has refused. */
  refusals = 0;
  readonly #monitor: number;

  private constructor(monitor: number) {
    this.#monitor = monitor;
  }

  /** Resolves when its monitoring answers. */
  static async start(
    t: ExecutionContext,
    folder: string,
    ports: Ports,
    configure: (ports: Ports) => string,
    env: Record<string, string> = {},
  ): Promise<NatsProcess> {
    await mkdir(join(folder, 'nats'), { recursive: true });
    const config = join(folder, 'nats/nats.conf');
    await writeFile(config, configure(ports));
    const server = new NatsProcess(ports.monitor);
    const args = ['--config', config];
    const child = spawn(await natsServer(), args, { env, stdio: ['ignore', 'ignore', 'pipe'] });
    t.teardown(async () => {
      child.kill('SIGKILL');
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    });
    const lines: string[] = [];
    createInterface(child.stderr).on('line', (line) => {
      lines.push(line);
      if (/rid:\d+ - (authentication error|TLS route handshake error)/.test(line))
        server.refusals += 1;
    });
    await eventually(() => server.monitoring('varz'), {
      describe: `a NATS server to start: ${lines.join('\n')}`,
    });
    return server;
  }

  /** Names of the servers to which it has a route. */
  async routes(): Promise<string[]> {
    const { routes } = JSON.parse(await this.monitoring('routez')) as {
      routes: { remote_name: string }[];
    };
    return routes.map((route) => route.remote_name);
  }

  async monitoring(page: string): Promise<string> {
    return (await fetch(`http://127.0.0.1:${this.#monitor}/${page}`)).text();
  }
}

export interface ComponentServer {
  folder: string;
  /** Name of the pod. */
  name: string;
  own: Ports;
  /** Ports of all servers of the cluster. */
  ports: readonly Ports[];
  password: string;
  /** Paths of PEM files, and the content of `users.conf`. */
  files: { ca: string; cert: string; key: string; users: string };
}

/** A server with the configuration of the component `nats` and the variables of its pods. Only addresses and paths differ. */
export async function componentServer(
  t: ExecutionContext,
  { folder, name, own, ports, password, files }: ComponentServer,
): Promise<NatsProcess> {
  await mkdir(join(folder, 'nats-users'), { recursive: true });
  await writeFile(join(folder, 'nats-users/users.conf'), files.users);
  const text = await readFile(new URL('nats.conf', component), 'utf8');
  const configured = [
    [/^port: 4222$/m, `listen: 127.0.0.1:${own.client}`],
    [/^http_port: 8222$/m, `http: 127.0.0.1:${own.monitor}`],
    [/^ {2}port: 6222$/m, `  listen: 127.0.0.1:${own.cluster}`],
    [/\/run\/nats/, folder],
    [/store_dir: \/data/, `store_dir: ${join(folder, 'data')}`],
    [/\/etc\/nats-tls\/tls\.crt/g, files.cert],
    [/\/etc\/nats-tls\/tls\.key/g, files.key],
    [/\/etc\/nats-tls\/ca\.crt/g, files.ca],
  ].reduce((all, [pattern, value]) => all.replace(pattern!, value as string), text);
  const env = await variables(password, (host) => `127.0.0.1:${ports[Number(host)]!.cluster}`);
  return NatsProcess.start(t, folder, own, () => configured, { ...env, POD_NAME: name });
}

interface StatefulSet {
  spec: { template: { spec: { containers: { env: { name: string; value?: string }[] }[] } } };
}

/** The variables of the pods, with the password in them. */
async function variables(
  password: string,
  addressOf: (pod: string) => string,
): Promise<Record<string, string>> {
  const text = await readFile(new URL('stateful-set.yaml', component), 'utf8');
  const { env } = (parse(text) as StatefulSet).spec.template.spec.containers[0]!;
  return Object.fromEntries(
    env.map(({ name, value = '' }) => [
      name,
      value
        .replaceAll('$(ROUTES_PASSWORD)', password)
        .replaceAll(/nats-(\d)\.nats-headless:6222/g, (_, pod: string) => addressOf(pod)),
    ]),
  );
}
