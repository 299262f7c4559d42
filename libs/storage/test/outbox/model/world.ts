import fc, { type Scheduler } from 'fast-check';
import { encodeId } from '@roster/contracts';
import { eventNamed, nameOf } from './model-events.js';
import { ModelProcess } from './model-process.js';
import { ModelStream } from './model-stream.js';
import { ModelTable } from './model-table.js';

/** External events, in this order. The scheduler decides how far everything else has proceeded by then. */
export type Step =
  | { step: 'commit' | 'mark' | 'sweep' | 'reconcile' | 'kill'; process: number }
  | { step: 'breakLink' | 'restoreLink' | 'breakDatabase'; process: number }
  | { step: Stall | 'resume'; process: number }
  | { step: 'restartNats' | 'moveLeader' | 'publishForeign'; messages: number }
  | { step: 'age' | 'forgetRepetitions' | 'silence' };

type Stall = 'stallStatement' | 'stallMessage' | 'stallAcknowledgement';

export interface Faults {
  processes: number;
  /** Whether NATS reports that another server leads the stream. */
  tellsIncarnation: boolean;
}

export const faults: fc.Arbitrary<Faults> = fc.record({
  processes: fc.integer({ min: 1, max: 2 }),
  tellsIncarnation: fc.boolean(),
});

const ofProcess = <S extends string>(...steps: S[]) =>
  fc.record({ step: fc.constantFrom(...steps), process: fc.nat(1) });
const ofMessages = <S extends string>(...steps: S[]) =>
  fc.record({ step: fc.constantFrom(...steps), messages: fc.integer({ min: 1, max: 5 }) });

export const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: ofProcess('commit') },
    { weight: 6, arbitrary: ofProcess('mark', 'sweep', 'reconcile') },
    { weight: 3, arbitrary: ofProcess('breakLink', 'restoreLink', 'breakDatabase', 'kill') },
    {
      weight: 4,
      arbitrary: ofProcess('stallStatement', 'stallMessage', 'stallAcknowledgement', 'resume'),
    },
    { weight: 5, arbitrary: ofMessages('restartNats', 'moveLeader', 'publishForeign') },
    {
      weight: 1,
      arbitrary: fc.record({ step: fc.constantFrom('age', 'forgetRepetitions', 'silence') }),
    },
  ),
  { minLength: 4, maxLength: 40, size: 'max' },
);

/** More than any run requires. */
const roundsMax = 30;

/** A service with one or two processes, its table and the stream. */
export class World {
  readonly #scheduler: Scheduler;
  readonly #table = new ModelTable();
  readonly #stream: ModelStream;
  readonly #processes: ModelProcess[] = [];
  #started = 0;
  #events = 0;
  #foreign = 0;

  constructor(scheduler: Scheduler, given: Faults) {
    this.#scheduler = scheduler;
    this.#stream = new ModelStream(given.tellsIncarnation);
    for (let n = 0; n < given.processes; n += 1) this.#processes.push(this.#start());
  }

  /** Runs the steps, then lets everything recover, and returns the problems that remain. */
  async run(all: readonly Step[]): Promise<string[]> {
    this.#scheduler.scheduleSequence(
      all.map((step) => ({
        label: Object.values(step).join(' '),
        builder: async () => this.#take(step),
      })),
    );
    await this.#scheduler.waitIdle();
    for (const process of this.#processes) process.resume();
    await this.#scheduler.waitIdle();
    for (let round = 0; round < roundsMax; round += 1) if (await this.#heal()) break;
    return this.#problems();
  }

  #start(): ModelProcess {
    const name = `process ${(this.#started += 1)}`;
    return new ModelProcess(this.#scheduler, name, this.#table, this.#stream);
  }

  #take(step: Step): void {
    if ('process' in step) this.#takeIn(step.process % this.#processes.length, step.step);
    else if (step.step === 'publishForeign')
      for (let n = 0; n < step.messages; n += 1) this.#stream.store(`f${(this.#foreign += 1)}`);
    else if (step.step === 'moveLeader') this.#stream.restart(step.messages);
    else if (step.step === 'restartNats') {
      for (const process of this.#processes) process.breakLink();
      this.#stream.restart(step.messages);
    } else if (step.step === 'forgetRepetitions') this.#stream.forgetRepetitions();
    else if (step.step === 'silence') this.#table.abandon();
    else if (step.step === 'age') this.#age();
  }

  #takeIn(at: number, step: Extract<Step, { process: number }>['step']): void {
    if (step === 'kill') {
      this.#processes[at]!.kill();
      this.#processes[at] = this.#start();
    } else if (step === 'commit') {
      this.#processes[at]!.commit([eventNamed((this.#events += 1))]);
    } else this.#processes[at]![step]();
  }

  /** Messages are retained far longer than a comparison takes: only those compared since the last loss expire. */
  #age(): void {
    const { comparison, incarnation, positions } = this.#table.checkpoint();
    const isCompared =
      comparison === 'finished' &&
      incarnation !== undefined &&
      incarnation === this.#stream.tail().incarnation;
    const last = positions.at(-1);
    if (isCompared && last) this.#stream.age(last.sequence - 1);
  }

  /** Everything is up and the timers run. Returns whether nothing is left to do. */
  async #heal(): Promise<boolean> {
    this.#table.abandon();
    for (const process of this.#processes) {
      process.resume();
      process.restoreLink();
      process.reconcile();
    }
    await this.#scheduler.waitIdle();
    const isQuiet = this.#unpublished().length === 0;
    for (const process of this.#processes) {
      process.mark();
      process.sweep();
    }
    await this.#scheduler.waitIdle();
    return isQuiet;
  }

  #unpublished(): string[] {
    const rows = [...this.#table.rows.values()];
    return rows.filter(({ sequence }) => sequence === null).map(({ event }) => nameOf(event));
  }

  #problems(): string[] {
    const held = this.#stream.ids();
    const { first } = this.#stream.tail();
    const problems = this.#unpublished().map((name) => `${name} is not published`);
    for (const { event, sequence } of this.#table.rows.values()) {
      const id = encodeId('event', event.id);
      const message = this.#stream.at(sequence ?? 0);
      if (!held.has(id) && !this.#stream.agedOut.has(id)) problems.push(`${nameOf(event)} is lost`);
      if (sequence !== null && sequence >= first && message?.id !== id)
        problems.push(`${nameOf(event)} is marked with ${sequence}, which holds ${message?.id}`);
    }
    return problems;
  }
}
