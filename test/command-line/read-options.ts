import { parseArgs } from 'node:util';

/** An invalid command line; the message is one line. */
export class OptionsError extends Error {
  override name = 'OptionsError';
}

type Defaults = Record<string, number | boolean>;

/** The options of a run. */
export type Options<Of extends Defaults> = {
  [Name in keyof Of]: Of[Name] extends number ? number : boolean;
};

/**
 * Parses the options of a run: numbers above 0, and flags, with defaults.
 *
 * @throws OptionsError
 */
export function readOptions<Of extends Defaults>(
  args: readonly string[],
  defaults: Of,
): Options<Of> {
  const given = parse(args, defaults);
  const values = Object.entries(defaults).map(([name, value]) => {
    const found = given[name];
    return [name, typeof found === 'string' ? positive(name, found) : (found ?? value)];
  });
  return Object.fromEntries(values) as Options<Of>;
}

/** As `readOptions`, for this process, which exits with one line if they are invalid. */
export const optionsOfProcess = <Of extends Defaults>(defaults: Of): Options<Of> =>
  orExit(() => readOptions(process.argv.slice(2), defaults));

/** As above, after the names of parts. */
export const partsOfProcess = <Name extends string, Of extends Defaults>(
  known: readonly Name[],
  defaults: Of,
): Options<Of> & { names: readonly Name[] } =>
  orExit(() => {
    const { names, rest } = readNames(process.argv.slice(2), known);
    return { ...readOptions(rest, defaults), names };
  });

function orExit<Result>(read: () => Result): Result {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof OptionsError)) throw error;
    console.error(error.message);
    return process.exit(2);
  }
}

/**
 * The names before the options of a command, all known ones if there are none.
 *
 * @throws OptionsError at another name
 */
export function readNames<Name extends string>(
  args: readonly string[],
  known: readonly Name[],
): { names: readonly Name[]; rest: string[] } {
  const end = args.findIndex((arg) => arg.startsWith('--'));
  const given = end < 0 ? [...args] : args.slice(0, end);
  const other = given.find((name) => !(known as readonly string[]).includes(name));
  if (other !== undefined)
    throw new OptionsError(`There is no part "${other}". The parts are ${known.join(', ')}.`);
  const names = known.filter((name) => given.length === 0 || given.includes(name));
  return { names, rest: end < 0 ? [] : args.slice(end) };
}

function parse(args: readonly string[], defaults: Defaults) {
  const options = Object.entries(defaults).map(
    ([name, value]) => [name, { type: typeof value === 'number' ? 'string' : 'boolean' }] as const,
  );
  try {
    return parseArgs({ args: [...args], options: Object.fromEntries(options) }).values;
  } catch (error) {
    throw new OptionsError((error as Error).message);
  }
}

function positive(name: string, text: string): number {
  const value = Number(text);
  if (!(value > 0 && Number.isFinite(value)))
    throw new OptionsError(`--${name} must be a number above 0, not "${text}".`);
  return value;
}
