import type { Socket } from 'node:net';
import { AddressBusy, unreachableCodes } from './attempt-error.js';
import { ProxyUnusable } from './egress-proxy.js';

/** How long an address has to accept the connection, and then to complete the TLS handshake, before the next one is tried too. */
const connectDelayMs = 250;
const handshakeDelayMs = 1000;

const addressesMax = 8;

/**
 * Opens a connection to the address that answers first (RFC 8305). The next address is tried when an attempt fails or takes long, up
 * to eight of them, and the signal of the others is aborted.
 *
 * @param open also reports when the address accepted the connection
 * @throws the most telling failure: that of an address that accepted the connection rather than that of an unreachable one
 */
export async function raceAddresses<Opened extends { socket: Socket }>(
  addresses: readonly string[],
  open: (address: string, signal: AbortSignal, onAccepted: () => void) => Promise<Opened>,
  signal: AbortSignal,
): Promise<Opened> {
  signal.throwIfAborted();
  const racing = alternating(addresses).slice(0, addressesMax);
  const failures: Failure[] = [];
  const lost = new AbortController();
  const losers = AbortSignal.any([signal, lost.signal]);
  const { promise, resolve, reject } = Promise.withResolvers<Opened>();
  let timer: NodeJS.Timeout | undefined;
  let started = 0;
  const startNextIn = (ms: number) => {
    clearTimeout(timer);
    timer = setTimeout(startNext, ms);
  };
  const startNext = () => {
    clearTimeout(timer);
    const address = racing[started];
    if (address === undefined || losers.aborted) return;
    const failure: Failure = { place: started, accepted: false, error: undefined };
    started += 1;
    startNextIn(connectDelayMs);
    const accepted = () => {
      failure.accepted = true;
      startNextIn(handshakeDelayMs);
    };
    open(address, losers, accepted).then(
      (opened) => {
        if (lost.signal.aborted) opened.socket.destroy();
        lost.abort();
        resolve(opened);
      },
      (error: unknown) => {
        failures.push({ ...failure, error });
        if (signal.aborted) reject(signal.reason as Error);
        else if (failures.length === racing.length) reject(mostTelling(failures));
        else startNext();
      },
    );
  };
  startNext();
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
  }
}

interface Failure {
  /** Among the addresses. */
  place: number;
  accepted: boolean;
  error: unknown;
}

function mostTelling(failures: readonly Failure[]): unknown {
  const rank = ({ accepted, error }: Failure): number => {
    if (error instanceof AddressBusy || error instanceof ProxyUnusable) return 0;
    if (accepted) return 1;
    return unreachableCodes.has((error as NodeJS.ErrnoException).code ?? '') ? 3 : 2;
  };
  return failures.toSorted((a, b) => rank(a) - rank(b) || a.place - b.place)[0]!.error;
}

/** One of each family in turn, because often only one of them works. */
function alternating(addresses: readonly string[]): string[] {
  const families = [
    addresses.filter((address) => !address.includes(':')),
    addresses.filter((address) => address.includes(':')),
  ];
  return addresses.flatMap((_, n) => families.flatMap((family) => family[n] ?? []));
}
