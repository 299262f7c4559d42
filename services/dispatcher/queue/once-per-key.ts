interface Run {
  done: Promise<void>;
  /** The next run, for calls during this one. */
  next?: Promise<void>;
}

/** Runs one task at a time for each key. Calls during a run share one more run after it. */
export class OncePerKey {
  readonly #runs = new Map<string, Run>();

  run(key: string, task: () => Promise<void>): Promise<void> {
    const current = this.#runs.get(key);
    if (!current) return this.#start(key, task);
    const start = () => this.#start(key, task);
    return (current.next ??= current.done.then(start, start));
  }

  #start(key: string, task: () => Promise<void>): Promise<void> {
    const run: Run = { done: task() };
    this.#runs.set(key, run);
    const end = () => {
      if (!run.next) this.#runs.delete(key);
    };
    run.done.then(end, end);
    return run.done;
  }
}
