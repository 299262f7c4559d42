import { Roster } from '@roster/client';

import { Interrupted, UsageError, type ExitCode } from './failure.js';
import type { GlobalOptions } from './global-options.js';
import { Output } from './output.js';
import { resolveProfile, type Profile } from './profiles.js';
import { version } from './version.js';

/** What a command works with. */
export interface Context {
  readonly options: GlobalOptions;
  readonly output: Output;
  /** Aborted with `Interrupted` by Ctrl-C. */
  readonly signal: AbortSignal;
  /** Folder of the system of this machine, if any. */
  readonly home: string | undefined;
  /** Whether questions can be asked. */
  readonly canAsk: boolean;
  /** The URL and the key. @throws UsageError if they are missing */
  readonly profile: Profile;
  /** The client with that URL and key. */
  readonly roster: Roster;
  /**
   * Returns if `--yes` is given, or the question is answered so.
   *
   * @throws UsageError if nobody can be asked
   */
  confirm(question: string): Promise<void>;
}

type Handle<Args extends unknown[]> = (context: Context, ...args: Args) => Promise<ExitCode | void>;

/** Makes the action of a command from a function that gets the context, then the arguments and options of the command. */
export type Run = <Args extends unknown[]>(
  handle: Handle<Args>,
) => (...args: Args) => Promise<void>;

interface Surroundings {
  home: string | undefined;
  signal: AbortSignal;
}

export function openContext(options: GlobalOptions, { home, signal }: Surroundings): Context {
  const output = new Output({ json: options.json === true, color: options.color });
  const canAsk = process.stdin.isTTY && process.stderr.isTTY;
  let profile: Profile | undefined;
  let roster: Roster | undefined;
  return {
    options,
    output,
    signal,
    home,
    canAsk,
    get profile() {
      return (profile ??= resolveProfile(options, home));
    },
    get roster() {
      return (roster ??= clientOf(this.profile));
    },
    async confirm(question) {
      if (options.yes === true) return;
      if (!canAsk) throw new UsageError(`${question} Pass --yes: there is no terminal to ask on.`);
      const { confirm } = await import('@clack/prompts');
      const answer = await confirm({
        message: question,
        initialValue: false,
        output: process.stderr,
        signal,
      });
      if (answer !== true) throw new Interrupted();
    },
  };
}

/** @param retries how often a request is sent again: by default for about two seconds */
export const clientOf = ({ url, apiKey }: Pick<Profile, 'url' | 'apiKey'>, retries = 3): Roster =>
  new Roster({ baseUrl: url, apiKey, retries, userAgent: `roster-cli/${version}` });
