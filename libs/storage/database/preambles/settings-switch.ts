import type { Sent } from './preamble.js';

/** Settings that a connection has either all or none of. */
export class SettingsSwitch {
  readonly #on: string;
  readonly #off: string;
  /** Undefined if a rollback may have undone the last change. */
  #isOn: boolean | undefined = false;

  constructor(settings: Readonly<Record<string, string | number>>) {
    const entries = Object.entries(settings);
    this.#on = entries.map(([name, value]) => `set ${name} = ${value}`).join('; ');
    this.#off = entries.map(([name]) => `reset ${name}`).join('; ');
  }

  /**
   * Returns the SQL that turns the settings on or off before a query, if they are not already.
   *
   * @param isOn undefined leaves them unchanged
   */
  turn(isOn: boolean | undefined, query: Sent): string | undefined {
    const isChanged = isOn !== undefined && isOn !== this.#isOn;
    if (isChanged) this.#isOn = isOn;
    if (query.name === undefined && undoes.test(query.text)) this.#isOn = undefined;
    if (!isChanged) return undefined;
    return isOn ? this.#on : this.#off;
  }
}

/** Queries that may undo settings. */
export const undoes = /^\s*rollback\b/i;
