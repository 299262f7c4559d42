import { connect as connectTcp, isIPv6, type Socket } from 'node:net';
import { portOf } from '@roster/process/targets';
import { AttemptError, type ErrorClass } from './attempt-error.js';
import { readProxyAnswer, verdictOf } from './proxy-answer.js';
import { ProxyDoubts } from './proxy-doubts.js';
import { opened } from './socket-opened.js';

/** What became of a tunnel. `answer` and `closed` may also be failures of the receiver. */
export const tunnelOutcomes = [
  'opened',
  'connect',
  'authentication',
  'timeout',
  'answer',
  'closed',
] as const;
export type TunnelOutcome = (typeof tunnelOutcomes)[number];

/** The proxy failed, or may have: the attempt does not count. */
export class ProxyUnusable extends Error {
  override readonly name = 'ProxyUnusable';

  constructor(
    message: string,
    readonly waitSeconds: number,
  ) {
    super(message);
  }
}

export interface EgressProxyOptions {
  /** `http://`, with user and password if the proxy requires them. */
  url: string;
  onOutcome?: (outcome: TunnelOutcome) => void;
  /** Called with failures that are certainly those of the proxy. Their messages contain no secrets. */
  onFailure?: (failure: ProxyUnusable) => void;
  /** Opens TCP connections to it. Replaced by tests. */
  openSocket?: typeof connectTcp;
}

/** Whose tunnel is opened, and where it leads. */
export interface Destination {
  /** Of the URL, with its port. */
  host: string;
  /** Resolved and checked. */
  address: string;
  port: number;
}

/** How long the proxy has to accept a connection, and to answer the question whether it lives. */
const connectMs = 5000;
const probeMs = 2000;
const pauseMs = 500;
const pauseMsMax = 10_000;
/** How long others wait for the first attempt after a pause. */
const trialMs = 1000;

/**
 * Opens tunnels (CONNECT) through an HTTP proxy. After a failure of the proxy, none is opened for a pause, which becomes longer with
 * each further failure; then one attempt tries it.
 *
 * What a receiver can cause pauses nothing: one that is broken must not delay deliveries to others.
 */
export class EgressProxy {
  readonly #options: EgressProxyOptions;
  readonly #url: URL;
  readonly #request: string;
  readonly #doubts = new ProxyDoubts();
  #failures = 0;
  /** As `performance.now()`: when the last pause began, and when it ends. */
  #pausedAt = -Infinity;
  #pausedUntil = 0;
  #probe: Promise<boolean> | undefined;

  constructor(options: EgressProxyOptions) {
    this.#options = options;
    this.#url = new URL(options.url);
    const { username, password } = this.#url;
    const user = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
    const basic = Buffer.from(user).toString('base64');
    this.#request = username === '' ? '' : `Proxy-Authorization: Basic ${basic}\r\n`;
  }

  /** Milliseconds until it may be used again. */
  get pausedMs(): number {
    return Math.max(0, this.#pausedUntil - performance.now());
  }

  /**
   * Begins to connect to the proxy.
   *
   * @throws ProxyUnusable during a pause
   */
  open(): Socket {
    if (this.pausedMs > 0) throw this.#unusable('is paused after failures');
    if (this.#failures > 0) this.#pausedUntil = performance.now() + trialMs;
    return this.#connect();
  }

  /**
   * Makes a socket of `open` a tunnel.
   *
   * @throws ProxyUnusable if the proxy failed or may have; AttemptError if the receiver did; the reason of the signal
   */
  async tunnel(socket: Socket, to: Destination, signal: AbortSignal): Promise<void> {
    const began = performance.now();
    try {
      await opened(socket, 'connect', AbortSignal.any([signal, AbortSignal.timeout(connectMs)]));
    } catch (error) {
      signal.throwIfAborted();
      // The code of a time-out is a number.
      const { code } = error as NodeJS.ErrnoException;
      const reason = typeof code === 'string' ? code : `no answer within ${connectMs} ms`;
      throw this.#failed('connect', `does not accept connections: ${reason}`, began);
    }
    const authority = `${isIPv6(to.address) ? `[${to.address}]` : to.address}:${to.port}`;
    socket.write(`CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n${this.#request}\r\n`);
    const answer = await readProxyAnswer(socket, signal).catch(() => undefined);
    if (answer === undefined) {
      signal.throwIfAborted();
      await this.#requireAlive('closed');
      this.#recovered();
      throw this.#doubtful('closed', 'closed the connection without an answer', to.host);
    }
    const { status } = answer;
    const verdict = status >= 200 && status < 300 ? 'opened' : verdictOf(answer);
    if (verdict === 'authentication')
      throw this.#failed('authentication', `refuses its user: ${status}`, began);
    this.#recovered();
    if (verdict === 'opened') {
      this.#doubts.opened(to.host);
      this.#options.onOutcome?.('opened');
    } else if (verdict === 'receiver') throw unreached(status);
    else throw this.#doubtful('answer', `opened no tunnel: ${status}`, to.host, unreached(status));
  }

  /** An exchange with the host was answered. */
  answered(host: string): void {
    this.#doubts.answered(host);
  }

  /**
   * An exchange with the host failed.
   *
   * @throws ProxyUnusable if the proxy failed or may have
   */
  async judge(errorClass: ErrorClass, host: string): Promise<void> {
    if (errorClass === 'timeout') await this.#requireAlive('timeout');
    if (errorClass !== 'reset') return;
    await this.#requireAlive('closed');
    if (!this.#doubts.closed(host)) throw this.#unknown('closed', 'closed a tunnel', host);
  }

  #connect(): Socket {
    const { openSocket = connectTcp } = this.#options;
    const host = this.#url.hostname.replace(/^\[|\]$/g, '');
    return openSocket({ host, port: portOf(this.#url), noDelay: true });
  }

  #unusable(what: string, waitMs = this.pausedMs): ProxyUnusable {
    // The deliveries that wait for the same moment are spread over a second.
    const waitSeconds = waitMs / 1000 + Math.random();
    return new ProxyUnusable(`the egress proxy ${this.#url.host} ${what}`, waitSeconds);
  }

  /** @param began when the attempt that failed began: those that began before the last pause do not prolong it */
  #failed(outcome: TunnelOutcome, what: string, began: number): ProxyUnusable {
    const now = performance.now();
    if (began > this.#pausedAt) {
      this.#pausedAt = now;
      this.#pausedUntil = now + Math.min(pauseMsMax, pauseMs * 2 ** this.#failures);
      this.#failures += 1;
    }
    const failure = this.#unusable(what);
    this.#options.onOutcome?.(outcome);
    this.#options.onFailure?.(failure);
    return failure;
  }

  #recovered(): void {
    this.#failures = 0;
    this.#pausedUntil = 0;
  }

  /** @param counted the error if it is the receiver's */
  #doubtful(
    outcome: 'answer' | 'closed',
    what: string,
    host: string,
    counted = new AttemptError('connect', 'The egress proxy opened no connection.'),
  ): Error {
    return this.#doubts.notOpened(host) ? counted : this.#unknown(outcome, what, host);
  }

  #unknown(outcome: 'answer' | 'closed', what: string, host: string): ProxyUnusable {
    this.#options.onOutcome?.(outcome);
    return this.#unusable(what, this.#doubts.secondsOf(host) * 1000);
  }

  async #requireAlive(outcome: 'closed' | 'timeout'): Promise<void> {
    const began = performance.now();
    if (this.pausedMs > 0 || !(await this.#isAlive()))
      throw this.#failed(outcome, 'does not answer', began);
  }

  /** Whether it answers a request that is for no receiver. One question serves all that ask meanwhile. */
  #isAlive(): Promise<boolean> {
    this.#probe ??= this.#ask().finally(() => (this.#probe = undefined));
    return this.#probe;
  }

  #ask(): Promise<boolean> {
    return new Promise((resolve) => {
      const socket = this.#connect();
      const end = (is: boolean) => {
        clearTimeout(timer);
        socket.destroy();
        resolve(is);
      };
      const timer = setTimeout(() => end(false), probeMs);
      socket.once('connect', () => socket.write(question));
      // One that closes the connection lives.
      socket.once('data', () => end(true)).once('end', () => end(true));
      socket.on('error', () => end(false));
    });
  }
}

/** A proxy answers it itself (RFC 9110, 7.6.2), with whatever status. */
const question =
  'OPTIONS * HTTP/1.1\r\nHost: localhost\r\nMax-Forwards: 0\r\nConnection: close\r\n\r\n';

const unreached = (status: number): AttemptError =>
  new AttemptError('connect', `The egress proxy could not reach the receiver: ${status}.`);
