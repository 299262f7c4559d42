import { setImmediate as turn } from 'node:timers/promises';
import fc, { type Scheduler } from 'fast-check';
import { ModelDispatcher } from './model-dispatcher.js';
import { ModelReceiver } from './model-receiver.js';
import { eventNamed } from './model-events.js';
import { ModelStream } from './model-stream.js';
import { ModelTables } from './model-tables.js';

/** Steps that are taken in this order. The scheduler determines how far everything else has proceeded by then. */
export type Step = { step: OfSystem } | { step: OfProcess; process: number };

type OfSystem =
  | 'publish'
  | 'expire'
  | 'recreateConsumer'
  | 'loseTail'
  | 'dropPartition'
  | 'flush'
  | 'reattach';
type OfProcess = 'kill' | 'breakLink' | 'restoreLink' | 'breakDatabase' | 'stallAcknowledgement';

const ofSystem = (...steps: OfSystem[]) => fc.record({ step: fc.constantFrom(...steps) });
const ofProcess = (...steps: OfProcess[]) =>
  fc.record({ step: fc.constantFrom(...steps), process: fc.nat(1) });

export const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    { weight: 5, arbitrary: ofSystem('publish') },
    { weight: 5, arbitrary: ofSystem('flush') },
    { weight: 3, arbitrary: ofSystem('expire', 'recreateConsumer', 'dropPartition') },
    { weight: 3, arbitrary: ofSystem('loseTail', 'reattach') },
    {
      weight: 5,
      arbitrary: ofProcess(
        'kill',
        'breakLink',
        'restoreLink',
        'breakDatabase',
        'stallAcknowledgement',
      ),
    },
  ),
  { minLength: 4, maxLength: 30, size: 'max' },
);

/** How long the recorder collects outcomes. */
const flushMs = 20;
/** How long the consumer waits before it attaches again. */
const reattachMs = 300;
/** More than any run needs. */
const roundsMax = 30;

export interface Timers {
  /** Fires all timers that are due within this time. */
  tick(ms: number): void;
}

export interface Sizes {
  processes: number;
  /** Events that a process handles at once. Further ones wait in its client. */
  inFlightMax: number;
}

export const sizes: fc.Arbitrary<Sizes> = fc.record({
  processes: fc.integer({ min: 1, max: 2 }),
  inFlightMax: fc.constantFrom(1, 8),
});

/** One or two dispatchers, their tables, the stream and a receiver. */
export class World {
  readonly #scheduler: Scheduler;
  readonly #timers: Timers;
  readonly #inFlightMax: number;
  readonly #tables = new ModelTables();
  readonly #stream = new ModelStream((id) => this.#tables.hasOutcomes(id));
  readonly #receiver = new ModelReceiver();
  readonly #processes: ModelDispatcher[] = [];
  #started = 0;
  #events = 0;
  /** Number of faults, each of which permits that a delivery is sent or recorded once more. */
  #causes = 0;

  constructor(scheduler: Scheduler, timers: Timers, { processes, inFlightMax }: Sizes) {
    this.#scheduler = scheduler;
    this.#timers = timers;
    this.#inFlightMax = inFlightMax;
    for (let n = 0; n < processes; n += 1) this.#processes.push(this.#start());
  }

  /** Takes the steps, ends all faults, and returns the problems that remain. */
  async run(all: readonly Step[]): Promise<string[]> {
    this.#scheduler.scheduleSequence(
      all.map((step) => ({
        label: Object.values(step).join(' '),
        builder: async () => this.#take(step),
      })),
    );
    await this.#idle();
    for (let round = 0; round < roundsMax && this.#stream.open.length > 0; round += 1)
      await this.#heal();
    return [...this.#stream.problems, ...this.#problems()];
  }

  #start(): ModelDispatcher {
    const name = `process ${(this.#started += 1)}`;
    const process = new ModelDispatcher(this.#scheduler, name, {
      tables: this.#tables,
      stream: this.#stream,
      receiver: this.#receiver,
      inFlightMax: this.#inFlightMax,
    });
    return process;
  }

  #take(step: Step): void {
    if ('process' in step) this.#takeIn(step.process % this.#processes.length, step.step);
    else if (step.step === 'publish') this.#publish();
    else if (step.step === 'expire') this.#expire();
    else if (step.step === 'recreateConsumer') this.#recreateConsumer();
    else if (step.step === 'loseTail') this.#loseTail();
    else if (step.step === 'dropPartition') this.#dropPartition();
    else if (step.step === 'reattach') this.#timers.tick(reattachMs);
    else this.#timers.tick(flushMs);
  }

  #takeIn(at: number, step: OfProcess): void {
    const process = this.#processes[at]!;
    if (step === 'kill' || step === 'breakDatabase') this.#causes += 1;
    // What it holds is given back after its reconnection, possibly while another process handles it.
    if (step === 'breakLink') this.#redeliver([process]);
    if (step !== 'kill') return process[step]();
    process.kill();
    this.#processes[at] = this.#start();
  }

  #publish(): void {
    this.#stream.publish(eventNamed((this.#events += 1)));
    for (const process of this.#processes) process.pull();
  }

  /**
   * Events that processes are handling will be delivered again. Another process would send them again; the same process detects
   * that it is handling them.
   */
  #redeliver(processes: readonly ModelDispatcher[] = this.#processes): void {
    const isHandling = processes.some(({ handled }) => handled.length > 0);
    if (isHandling && this.#processes.length > 1) this.#causes += 1;
  }

  /** Dispatchers with a link report that they work on their events: only other events are delivered again. */
  #expire(): void {
    this.#redeliver(this.#processes.filter(({ isLinked }) => !isLinked));
    const linked = this.#processes.filter(({ isLinked }) => isLinked);
    this.#stream.expire(new Set(linked.flatMap(({ handled }) => handled)));
    for (const process of this.#processes) process.pull();
  }

  /** All events in the stream are delivered again, to any process, also those that are being handled. */
  #recreateConsumer(): void {
    this.#redeliver();
    this.#stream.recreateConsumer();
    for (const process of this.#processes) process.pull();
  }

  /** NATS restarts without its newest messages. The outbox publishes them again, after or before new ones. */
  #loseTail(): void {
    this.#redeliver();
    for (const process of this.#processes) process.breakLink();
    for (const event of this.#stream.loseTail(2)) {
      void this.#later(`publish ${event} again`, 4, () => {
        this.#stream.publish(event, true);
        for (const process of this.#processes) process.pull();
      });
    }
    for (const process of this.#processes)
      void this.#later('reconnect to NATS', 1, () => process.restoreLink());
  }

  async #later(what: string, hops: number, effect: () => void): Promise<void> {
    for (let hop = 0; hop < hops; hop += 1) await this.#scheduler.schedule(Promise.resolve(), what);
    effect();
  }

  /** If an outcome cannot be recorded for that reason, the next process repeats the attempt. */
  #dropPartition(): void {
    if (this.#processes.some(({ handled }) => handled.length > 0)) this.#causes += 1;
    this.#tables.dropEmptyPartition();
  }

  async #heal(): Promise<void> {
    for (const process of this.#processes) process.heal();
    this.#expire();
    await this.#idle();
    this.#timers.tick(reattachMs);
    await this.#idle();
    this.#timers.tick(flushMs);
    await this.#idle();
  }

  /** Resolves when nothing is left to do. */
  async #idle(): Promise<void> {
    await this.#scheduler.waitIdle();
    await turn();
    await this.#scheduler.waitIdle();
  }

  #problems(): string[] {
    const more = (counts: ReadonlyMap<string, number>, what: string) =>
      [...counts].flatMap(([id, count]) =>
        count > 1 + this.#causes
          ? [`${id} was ${what} ${count} times, with ${this.#causes} causes`]
          : [],
      );
    return [
      ...this.#stream.open.map((event) => `${event} is lost`),
      ...more(this.#receiver.hits, 'sent'),
      ...more(this.#tables.written, 'recorded'),
    ];
  }
}
