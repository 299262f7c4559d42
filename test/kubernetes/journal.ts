/** A required check has failed. */
export class RequiredCheckFailed extends Error {
  override name = 'RequiredCheckFailed';
}

/** The violations of a promise, one per line. */
export class PromiseViolated extends Error {
  override name = 'PromiseViolated';
  readonly violations: readonly string[];

  constructor(violations: readonly string[]) {
    super(violations.join('\n'));
    this.violations = violations;
  }
}

type Check = () => Promise<string | void> | string | void;

const shownMax = 24;

/** Runs checks one after the other, prints each with its result, and counts them. */
export class Journal {
  passed = 0;
  failed = 0;
  skipped = 0;
  readonly #print: (line: string) => void;

  constructor(print: (line: string) => void) {
    this.#print = print;
  }

  note(line: string): void {
    this.#print(`  ${line}`);
  }

  /** The value that the check returns is printed with the promise. Resolves with whether the promise was kept. */
  async check(promise: string, run: Check): Promise<boolean> {
    const startedAt = performance.now();
    const seconds = () => `${((performance.now() - startedAt) / 1000).toFixed(1)} s`;
    try {
      const seen = await run();
      this.passed += 1;
      this.#print(`✔ ${promise} (${[seen, seconds()].filter(Boolean).join('; ')})`);
      return true;
    } catch (error) {
      if (error instanceof RequiredCheckFailed) throw error;
      this.failed += 1;
      this.#print(`✘ ${promise} (${seconds()})`);
      for (const line of describe(error)) this.#print(`    ${line}`);
      return false;
    }
  }

  /** A check that all later checks require. */
  async require(promise: string, run: Check): Promise<void> {
    if (!(await this.check(promise, run))) throw new RequiredCheckFailed(promise);
  }

  /** A promise that cannot be checked on this cluster. */
  skip(promise: string, reason: string): void {
    this.skipped += 1;
    this.#print(`- ${promise}: not checked, ${reason}`);
  }

  verdict(): string {
    const skipped = this.skipped > 0 ? `, ${this.skipped} not checked` : '';
    return `${this.passed} passed, ${this.failed} failed${skipped}`;
  }
}

/** What is kept of a run: its checks with their results, and what it was a run of. */
export function summaryOf(lines: readonly string[], verdict: string, commit: string): string {
  const checks = lines.filter((line) => /^(?:[✔✘-] | {4})/.test(line));
  const day = new Date().toISOString().slice(0, 10);
  return `${day}, commit ${commit}: ${verdict}\n\n${checks.join('\n')}\n`;
}

function describe(error: unknown): string[] {
  const lines =
    error instanceof PromiseViolated ? [...error.violations] : String(error).trim().split('\n');
  return lines.length <= shownMax
    ? lines
    : [...lines.slice(0, shownMax), `… ${lines.length - shownMax} more`];
}
