import { randomUUID } from 'node:crypto';
import {
  encodeId,
  Fault,
  operationsOf,
  type FaultCode,
  type Operation,
  type ServiceName,
} from '@roster/contracts';
import type { ExecutionContext } from 'ava';
import { callAs } from './call-as.js';
import { eventually } from './eventually.js';
import { sampleInput } from './sample-input.js';
import { TcpProxy, type ProxyMode } from './tcp-proxy.js';

/** `handleBatch` of libs/bus, on which this package cannot depend. */
type HandleBatch = (operation: Operation, calls: never[], handler: never) => Promise<unknown[]>;

export interface CheckedService {
  t: Pick<ExecutionContext, 'is' | 'false' | 'teardown'>;
  service: ServiceName;
  handleBatch: HandleBatch;
  /** Input of the operations for which `sampleInput` finds none. */
  inputs?: Record<string, object>;
}

interface Options extends CheckedService {
  /** A server that the service depends on. */
  server: { host: string; port: number };
  /** Opens the service, connected to that server through a proxy on this port of 127.0.0.1. */
  open(port: number): Promise<{
    handlers: Record<string, unknown>;
    /** Whether the connection to the server works. */
    isThere(): boolean | Promise<boolean>;
  }>;
  /**
   * The fault that an operation answers while the server is unreachable; undefined if it does not depend on it.
   *
   * @param isSent whether the request is sent before the connection fails
   */
  expected(operation: Operation, isSent: boolean): FaultCode | undefined;
}

const outages: { mode: ProxyMode; isSent: boolean }[] = [
  { mode: 'refuse', isSent: false },
  { mode: 'ignore', isSent: false },
  { mode: 'reset', isSent: false },
  { mode: 'break', isSent: true },
  { mode: 'silence', isSent: true },
];

/** The caller of every operation, for tests that store something for it. */
export const callerOfFaults = {
  workspaceId: encodeId('workspace', randomUUID()),
  userId: encodeId('user', randomUUID()),
  keyId: encodeId('key', randomUUID()),
};

/** Calls every operation of a service, first with a server that it depends on, then during every kind of outage of that server. */
export async function checkFaults(options: Options): Promise<void> {
  const { t, service, server, open, expected } = options;
  const proxy = await TcpProxy.start(server);
  t.teardown(() => proxy.stop());
  const { handlers, isThere } = await open(proxy.port);
  await eventually(isThere);
  const called: { operation: Operation; usual: string }[] = [];
  for (const operation of Object.values(operationsOf[service]) as Operation[]) {
    const usual = await codeOf(operation, handlers, options);
    t.false(['unavailable', 'timeout'].includes(usual), `${operation.name}: ${usual}`);
    called.push({ operation, usual });
  }
  for (const { mode, isSent } of outages) {
    if (!isSent) {
      await proxy.setMode(mode);
      // Until the client has noticed that its connections are closed.
      await eventually(async () => !(await isThere()));
    }
    for (const { operation, usual } of called) {
      if (isSent) await proxy.setMode(mode);
      const code = await codeOf(operation, handlers, options);
      t.is(code, expected(operation, isSent) ?? usual, `${operation.name}: ${mode}`);
      if (!isSent) continue;
      await proxy.setMode('forward');
      await eventually(isThere);
    }
    await proxy.setMode('forward');
    await eventually(isThere);
  }
}

/** The code of the fault that an operation answers, or `ok`. */
async function codeOf(
  operation: Operation,
  handlers: Record<string, unknown>,
  { handleBatch, inputs = {} }: CheckedService,
): Promise<string> {
  const input = operation.input.parse(inputs[operation.name] ?? sampleInput(operation));
  const call = { ...callAs(callerOfFaults), input };
  const handler = handlers[operation.name];
  const [answer] = await handleBatch(operation, [call as never], handler as never);
  return answer instanceof Fault ? answer.code : 'ok';
}
