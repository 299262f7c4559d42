import { connect as connectTcp, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { literalAddress, portOf, type TargetPolicy } from '@roster/process/targets';
import { AddressBusy, AttemptError } from './attempt-error.js';
import type { EgressProxy } from './egress-proxy.js';
import { raceAddresses } from './race-addresses.js';
import type { ResolveHost } from './resolve-host.js';
import { opened } from './socket-opened.js';

/** How a connection was made. */
export interface ConnectionFacts {
  /** The address connected to. */
  address: string;
  dnsMs: number;
  connectMs: number;
  /** Null without TLS. */
  tlsMs: number | null;
}

export interface ConnectOptions {
  policy: TargetPolicy;
  resolve: ResolveHost;
  /** Counts a connection to an address. Returns undefined if there are too many, otherwise a function to call when it is closed. */
  count?: (address: string) => (() => void) | undefined;
  /** Opens the connections to the addresses, if there is one. */
  proxy?: EgressProxy | undefined;
  /** Opens a TCP connection. Replaced by tests. */
  openSocket?: typeof connectTcp;
  /** Trusted certificates besides those of the system. */
  ca?: string;
}

/**
 * Resolves the host, and connects to an address that it has checked: later answers of DNS do not matter.
 *
 * @throws AttemptError `refused` when no address of the host may be connected to, before a byte is sent; AddressBusy when too many
 *   connections to one of them are open, and no other could be made; ProxyUnusable
 */
export async function connectChecked(
  url: URL,
  { policy, resolve, count, proxy, openSocket = connectTcp, ca }: ConnectOptions,
  signal: AbortSignal,
): Promise<{ socket: Socket; facts: ConnectionFacts }> {
  const started = performance.now();
  const refusal = policy.refuseUrl(url);
  if (refusal !== undefined)
    throw new AttemptError('refused', `The target address is not allowed: ${refusal}.`);
  const secure = url.protocol === 'https:';
  const port = portOf(url);
  const addresses = await Promise.race([addressesOf(url.hostname, resolve), aborted(signal)]);
  const allowed = addresses.filter((address) => policy.refuseAddress(address, port) === undefined);
  if (allowed.length === 0) {
    const reason =
      addresses.length === 0
        ? 'the host has no address'
        : policy.refuseAddress(addresses[0]!, port)!;
    throw new AttemptError('refused', `The target address is not allowed: ${reason}.`);
  }
  const dnsMs = performance.now() - started;
  const began = performance.now();
  const open = async (address: string, lost: AbortSignal, onAccepted: () => void) => {
    const closed = count?.(address);
    if (count && !closed) throw new AddressBusy(address);
    let socket: Socket | undefined;
    try {
      socket = proxy ? proxy.open() : openSocket({ host: address, port, noDelay: true });
      if (closed) socket.once('close', closed);
      if (proxy) await proxy.tunnel(socket, { host: url.host, address, port }, lost);
      else await opened(socket, 'connect', lost);
      const connectMs = performance.now() - began;
      if (!secure) return { socket, facts: { address, dnsMs, connectMs, tlsMs: null } };
      onAccepted();
      const tls = connectTls({
        socket,
        ALPNProtocols: ['http/1.1'],
        // A server name must not be an address (RFC 6066). The certificate is checked against the address.
        ...(literalAddress(url.hostname) === undefined
          ? { servername: url.hostname }
          : { host: address }),
        ...(ca === undefined ? {} : { ca }),
      });
      await opened(tls, 'secureConnect', lost);
      const tlsMs = performance.now() - began - connectMs;
      return { socket: tls, facts: { address, dnsMs, connectMs, tlsMs } };
    } catch (error) {
      if (socket) socket.destroy();
      else closed?.();
      throw error;
    }
  };
  return await raceAddresses(allowed, open, signal);
}

/** A resolver has its own time-outs: the deadline does not wait for it. */
const aborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });

async function addressesOf(hostname: string, resolve: ResolveHost): Promise<string[]> {
  const literal = literalAddress(hostname);
  if (literal !== undefined) return [literal];
  try {
    return (await resolve(hostname)).addresses;
  } catch (error) {
    const { code = 'unknown' } = error as NodeJS.ErrnoException;
    throw new AttemptError('dns', `The host could not be resolved: ${code}.`);
  }
}
