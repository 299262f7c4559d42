import type { Duplex } from 'node:stream';
import { AdmissionGroup, type PausableConnection } from './admission-group.js';
import { BodyBudget } from './body-budget.js';

/** How long a request is queued before it may be refused. */
const queueTimeoutMs = 50;
const tickMs = 10;
/** A refusal costs nearly as much as a response: without a bound, refusals would take the capacity of responses. */
const refusalsPerTick = 20;
/** Maximum number of queued requests. Further ones are refused immediately. */
const queuedMax = 10_000;
/** Share of the slots and of the queue that one workspace may use: slots in use may take seconds to become free. */
const workspaceShare = 7 / 8;
/** The same for all requests together whose workspace is not known. */
const unidentifiedShare = 1 / 8;
/** Number of groups from which unused ones are removed. */
const groupsMax = 1_000;

/**
 * Admission control: a bounded number of requests is in flight, further ones are queued for a slot. Free slots are given to the
 * workspaces in turn, and in each to the request queued first, so that the requests of a workspace wait for its own only.
 * Refusals are given at a bounded rate, so that excess requests neither pile up nor take the capacity of admitted ones. While
 * requests of a workspace are queued, its connections that had a response are paused and resumed in turn: their next request
 * stays as bytes in the kernel, where a parsed one would be promoted to the old generation of V8's heap.
 */
export class Admission {
  readonly inFlightMax: number;
  /** Bodies of all workspaces together. One can take half of the budget. */
  readonly bodies = new BodyBudget(64 * 1024 * 1024, 32 * 1024 * 1024);
  /** The same for requests that need no key, by network of the client. */
  readonly anonymousBodies = new BodyBudget(16 * 1024 * 1024, 512 * 1024);
  /** Connections with a body that is read as a stream: it may take longer than other requests while it makes progress. */
  readonly longBodies = new WeakSet<Duplex>();
  readonly #groups = new Map<string, AdmissionGroup>();
  readonly #unidentified: AdmissionGroup;
  /** Groups with queued requests that may have a further slot, in the order of their turns. */
  readonly #line: AdmissionGroup[] = [];
  #inFlight = 0;
  #queued = 0;
  #paused = 0;
  /** Size of `#groups` at which unused ones are removed next. */
  #removeAt = groupsMax;
  #timer: NodeJS.Timeout | undefined;

  constructor(inFlightMax: number) {
    this.inFlightMax = inFlightMax;
    this.#unidentified = this.#makeGroup(unidentifiedShare);
  }

  /** Number of requests that hold a slot. */
  get inFlight(): number {
    return this.#inFlight;
  }

  /** Number of requests queued for a slot. */
  get queued(): number {
    return this.#queued;
  }

  /** The group of a workspace, or of requests whose workspace is not known. To be used in the same turn of the event loop. */
  groupOf(workspaceId: string | undefined): AdmissionGroup {
    if (workspaceId === undefined) return this.#unidentified;
    let group = this.#groups.get(workspaceId);
    if (group) return group;
    if (this.#groups.size >= this.#removeAt) this.#removeUnused();
    this.#groups.set(workspaceId, (group = this.#makeGroup(workspaceShare)));
    return group;
  }

  /** Takes a slot, if there is one for the group. `release` returns it. */
  tryAcquire(group: AdmissionGroup): boolean {
    if (this.#inFlight >= this.inFlightMax || group.inFlight >= group.inFlightMax) return false;
    this.#inFlight += 1;
    group.inFlight += 1;
    return true;
  }

  /** Queues for a slot. Resolves with false if the request is refused. */
  acquire(group: AdmissionGroup): Promise<boolean> {
    if (this.#queued >= queuedMax || group.requests.length >= group.queuedMax)
      return Promise.resolve(false);
    this.#startTimer();
    return new Promise((admit) => {
      group.requests.push(admit);
      this.#queued += 1;
      this.#putInLine(group);
    });
  }

  /** Passes the slot to the next queued request, or frees it. */
  release(group: AdmissionGroup): void {
    this.#inFlight -= 1;
    group.inFlight -= 1;
    if (this.#queued > 0) {
      this.#putInLine(group);
      if (this.#admitNext()) return;
    }
    if (this.#paused > 0) this.#resumeNext(group);
  }

  /** Called after a response: pauses the connection while others of the group are queued or paused. */
  hold(connection: PausableConnection, group: AdmissionGroup): void {
    if (this.#queued + this.#paused === 0) return;
    if (group.requests.length + group.paused.length === 0) return;
    connection.pause();
    group.paused.push(connection);
    this.#paused += 1;
    this.#startTimer();
  }

  /** Resumes all connections, and pauses none from then on. */
  resumeAll(): void {
    this.hold = () => {};
    for (const group of this.#all()) while (this.#resume(group));
  }

  #makeGroup(share: number): AdmissionGroup {
    return new AdmissionGroup(Math.ceil(this.inFlightMax * share), queuedMax * share);
  }

  #all(): AdmissionGroup[] {
    return [this.#unidentified, ...this.#groups.values()];
  }

  #removeUnused(): void {
    for (const [workspaceId, group] of this.#groups)
      if (group.isUnused) this.#groups.delete(workspaceId);
    this.#removeAt = Math.max(groupsMax, 2 * this.#groups.size);
  }

  #putInLine(group: AdmissionGroup): void {
    if (group.isInLine || group.requests.length === 0 || group.inFlight >= group.inFlightMax)
      return;
    group.isInLine = true;
    this.#line.push(group);
  }

  /** Admits the first request of the group whose turn it is, unless no group is in line. */
  #admitNext(): boolean {
    for (let group = this.#line.shift(); group; group = this.#line.shift()) {
      group.isInLine = false;
      const admit = group.inFlight < group.inFlightMax ? group.requests.shift() : undefined;
      // Its requests were refused, or it got its last slot otherwise.
      if (!admit) continue;
      this.#queued -= 1;
      this.#inFlight += 1;
      group.inFlight += 1;
      this.#putInLine(group);
      admit(true);
      return true;
    }
    return false;
  }

  /** Resumes a connection of the group, or if it has none, of another one. */
  #resumeNext(group: AdmissionGroup): void {
    if (this.#resume(group) || this.#resume(this.#unidentified)) return;
    for (const other of this.#groups.values()) if (this.#resume(other)) return;
  }

  #resume(group: AdmissionGroup): boolean {
    const connection = group.paused.shift();
    if (!connection) return false;
    this.#paused -= 1;
    connection.resume();
    return true;
  }

  #startTimer(): void {
    this.#timer ??= setInterval(() => {
      const groups = this.#all();
      this.#refuseExpired(groups);
      this.#resumeConnections(groups);
      if (this.#queued + this.#paused > 0) return;
      clearInterval(this.#timer);
      this.#timer = undefined;
    }, tickMs);
  }

  #refuseExpired(groups: AdmissionGroup[]): void {
    let left = refusalsPerTick;
    takeInTurn(groups, ({ requests }) => {
      if (left === 0 || requests.waitedMs < queueTimeoutMs) return false;
      left -= 1;
      this.#queued -= 1;
      requests.shift()!(false);
      return true;
    });
  }

  /** One per free slot, because resumed connections may be idle; and those paused for too long, so that they can be refused. */
  #resumeConnections(groups: AdmissionGroup[]): void {
    const free = this.inFlightMax - this.#inFlight;
    const max = Math.max(free, refusalsPerTick);
    let count = 0;
    takeInTurn(groups, (group) => {
      if (count >= max || (count >= free && group.paused.waitedMs < queueTimeoutMs)) return false;
      count += 1;
      return this.#resume(group);
    });
  }
}

/** Calls `takeOne` for each group in turn, until it has returned false for all of them in a row. */
function takeInTurn(groups: AdmissionGroup[], takeOne: (group: AdmissionGroup) => boolean): void {
  for (let left = groups; left.length > 0;) left = left.filter(takeOne);
}
