import type { Command, CommandUnknownOpts, OptionValues } from '@commander-js/extra-typings';

/** Adds examples to the help of a command. Each is run by a test. */
export function withExamples<Args extends unknown[], Options extends OptionValues>(
  command: Command<Args, Options>,
  ...examples: readonly string[]
): CommandUnknownOpts {
  const lines = examples.map((example) => `  $ ${example}`);
  return command.addHelpText('after', `\nExamples:\n${lines.join('\n')}`);
}
