import {
  operationsOf,
  releaseVersion,
  type OperationTable,
  type ServiceName,
} from '@roster/contracts';
import {
  nuid,
  ServiceResponseType,
  type EndpointInfo,
  type Msg,
  type NamedEndpointStats,
  type ServiceIdentity,
} from 'nats';
import { hostname } from 'node:os';
import type { Link } from './link.js';
import type { BusObserver } from './observer.js';
import { isInbox } from './permissions/inboxes.js';
import { serviceSubjects } from './permissions/permissions-of.js';

/** Calls of an operation that this process has answered. */
interface Served {
  /** Number of calls by outcome: `ok` or the code of a fault. */
  outcomes: Record<string, number>;
  /** Sum over the calls of the time from receiving a batch to answering it. */
  seconds: number;
  lastFault: string | undefined;
}

/**
 * Answers `$SRV.PING`, `$SRV.INFO` and `$SRV.STATS` as a service of NATS does (ADR-32), so that its tools show the process, its
 * operations and their figures. Those of `STATS` are those of the metrics: a call is a request, and one with a fault is an error.
 *
 * The client's own service framework measures only the callback of a message, and ends for good when a subscription is denied.
 */
export class Micro {
  readonly #link: Link;
  readonly #started = new Date().toISOString();
  readonly #services: ServiceName[] = [];
  readonly #served = new Map<string, Served>();
  readonly #identity: Omit<ServiceIdentity, 'type' | 'metadata'>;
  readonly #metadata: Record<string, string> = { hostname: hostname(), pid: String(process.pid) };

  constructor(link: Link) {
    this.#link = link;
    const { name } = link;
    const id = nuid.next();
    this.#identity = { name, id, version: releaseVersion };
    // The command line is no service.
    if (name === 'operator') return;
    // Not `link.subscribe`, which a process needs to be ready: permissions of an earlier release deny these subjects.
    for (const subject of serviceSubjects(name, id))
      link.nats.subscribe(subject, {
        callback: (error, message) => error ?? this.#answer(message),
      });
  }

  /** Adds metadata. */
  describe(metadata: Readonly<Record<string, string>>): void {
    Object.assign(this.#metadata, metadata);
  }

  /** Adds the operations of a service to the endpoints. */
  serve(service: ServiceName): void {
    this.#services.push(service);
  }

  /** The observer of served calls, which are counted as well. */
  observing(observer: BusObserver): BusObserver {
    return {
      ...observer,
      callsServed: (operation, outcome, seconds, calls) => {
        this.#count(operation, outcome, seconds * calls, calls);
        observer.callsServed?.(operation, outcome, seconds, calls);
      },
    };
  }

  #count(operation: string, outcome: string, seconds: number, calls: number): void {
    let served = this.#served.get(operation);
    if (!served) {
      served = { outcomes: {}, seconds: 0, lastFault: undefined };
      this.#served.set(operation, served);
    }
    served.outcomes[outcome] = (served.outcomes[outcome] ?? 0) + calls;
    served.seconds += seconds;
    if (outcome !== 'ok') served.lastFault = outcome;
  }

  #answer({ subject, reply = '' }: Msg): void {
    const answer = this.#answerTo(subject.split('.')[1]!);
    if (!answer || !isInbox(reply) || !this.#link.up) return;
    // With which the clocks of processes are compared.
    const metadata = { ...this.#metadata, time: new Date().toISOString() };
    this.#link.nats.publish(reply, JSON.stringify({ ...this.#identity, metadata, ...answer }));
  }

  #answerTo(verb: string): object | undefined {
    const { name } = this.#identity;
    if (verb === 'PING') return { type: ServiceResponseType.PING };
    const endpoints = this.#endpoints();
    if (verb === 'INFO')
      return { type: ServiceResponseType.INFO, description: `${name} of Roster`, endpoints };
    if (verb !== 'STATS') return undefined;
    const stats = endpoints.map((endpoint) => ({ ...endpoint, ...this.#statsOf(endpoint) }));
    return { type: ServiceResponseType.STATS, started: this.#started, endpoints: stats };
  }

  #endpoints(): EndpointInfo[] {
    return this.#services.flatMap((service) =>
      Object.keys(operationsOf[service] as OperationTable).map((operation) => ({
        name: operation.replaceAll('.', '-'),
        subject: operation,
        queue_group: service,
      })),
    );
  }

  #statsOf({ subject }: EndpointInfo): Omit<NamedEndpointStats, 'name' | 'subject'> {
    const { outcomes = {}, seconds = 0, lastFault } = this.#served.get(subject) ?? {};
    const { ok = 0 } = outcomes;
    const requests = Object.values(outcomes).reduce((sum, calls) => sum + calls, 0);
    const nanoseconds = Math.round(seconds * 1e9);
    return {
      num_requests: requests,
      num_errors: requests - ok,
      last_error: lastFault ?? '',
      processing_time: nanoseconds,
      average_processing_time: requests === 0 ? 0 : Math.round(nanoseconds / requests),
      data: { outcomes },
    };
  }
}
