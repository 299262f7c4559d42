import { eventStream, type StreamPosition } from '@roster/contracts';
import type { Link } from '../link.js';
import { isRefusal, JetStreamCode } from '../trouble.js';

const timeoutMs = 500;

/**
 * The position of the newest event in the stream; null if there is no stream. Every event that is published from now on has a
 * later one.
 *
 * @throws if NATS does not answer within half a second
 */
export async function readStreamPosition(link: Link): Promise<StreamPosition | null> {
  // The client would buffer the request until reconnection.
  if (!link.up) throw new Error('no connection to NATS');
  const manager = await link.nats.jetstreamManager({ checkAPI: false, timeout: timeoutMs });
  try {
    const { created, state } = await manager.streams.info(eventStream);
    return {
      ...{ stream: created, sequence: state.last_seq },
      storedNs: nanosecondsOf(state.last_ts),
    };
  } catch (error) {
    if (isRefusal(error, JetStreamCode.StreamNotFound)) return null;
    throw error;
  }
}

/** Of an ISO 8601 time with up to nine decimals. Rounded like the time of a consumed message, which the client parses as a number. */
export function nanosecondsOf(time: string): number {
  const [, second, decimals = '', zone] = /^(.{19})(?:\.(\d+))?(.+)$/.exec(time)!;
  const secondMs = Date.parse(`${second}${zone}`);
  return Number(BigInt(secondMs) * 1_000_000n + BigInt(decimals.padEnd(9, '0')));
}
