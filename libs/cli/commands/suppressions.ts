import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';

import { Command, Option } from '@commander-js/extra-typings';
import type { CreateSuppressionInput, Suppression } from '@roster/client';

import type { Run } from '../context.js';
import { CommandFailure, exitCodes } from '../failure.js';
import { printable, type Column } from '../output.js';
import { withExamples } from './examples.js';
import { first, given, pageLimit, wholeNumber } from './values.js';

export const suppressions = (run: Run) =>
  new Command('suppressions')
    .description('Addresses that receive nothing, also after their contacts were deleted.')
    .addCommand(list(run))
    .addCommand(add(run))
    .addCommand(remove(run))
    .addCommand(importList(run));

type Reason = NonNullable<CreateSuppressionInput['reason']>;
const reasons = [
  'unsubscribed',
  'bounced',
  'complained',
  'manual',
] as const satisfies readonly Reason[];

const reasonOption = () =>
  new Option('--reason <reason>', 'why; manual by default').choices(reasons);

const columns: readonly Column<Suppression>[] = [
  { name: 'id', of: ({ id }) => id, whole: true },
  { name: 'reason', of: ({ reason }) => reason },
  { name: 'created', of: ({ createdAt }) => createdAt },
];

const list = (run: Run) =>
  withExamples(
    new Command('list')
      .description('List suppressions, newest first, or find that of an address.')
      .option('--email <address>', 'only that of this address: addresses are not stored')
      .option('--limit <number>', 'at most this many', wholeNumber)
      .action(
        run(async ({ roster, output, signal }, { email, limit }) => {
          const query = given({ email, limit: pageLimit(limit) });
          const rows = roster.suppressions.list(query, { signal });
          await output.list(first(rows, limit), columns, 'There is no suppression.');
        }),
      ),
    'roster suppressions list --email ada@example.com',
  );

const add = (run: Run) =>
  withExamples(
    new Command('add')
      .description('Suppress an address, and unsubscribe the contact that has it.')
      .argument('<address>')
      .addOption(reasonOption())
      .action(
        run(async ({ roster, output, signal }, email, { reason }) =>
          output.item(await roster.suppressions.create(given({ email, reason }), { signal })),
        ),
      ),
    'roster suppressions add grace@example.com --reason bounced',
  );

const remove = (run: Run) =>
  withExamples(
    new Command('delete')
      .description('Delete a suppression. A contact that is unsubscribed remains so.')
      .argument('<suppression>', 'ID or address')
      .action(
        run(async ({ roster, output, signal, confirm }, which) => {
          await confirm(`Delete the suppression ${printable(which)}?`);
          if (!which.includes('@')) {
            const answer = await roster.suppressions.delete(which, { signal });
            return output.done(`Deleted ${which}.`, answer);
          }
          const answer = await roster.suppressions.deleteByEmail({ email: which }, { signal });
          const sentence = answer.existed ? 'Deleted.' : 'The address was not suppressed.';
          return output.done(sentence, answer);
        }),
      ),
    'roster suppressions delete grace@example.com --yes',
  );

/** Of one request. */
const addressesMax = 1000;

const importList = (run: Run) =>
  withExamples(
    new Command('import')
      .description(
        'Suppress the addresses of a file, one in each line. Exit code 7 if some lines are no addresses. After an interruption, import it again: what is suppressed remains so.',
      )
      .argument('<file>', 'file, - for standard input')
      .addOption(reasonOption())
      .action(
        run(async ({ roster, output, signal }, file, { reason }) => {
          const sum = { created: 0, known: 0, refused: 0 };
          for await (const lines of inPieces(linesOf(file))) {
            const emails = lines.map(({ text }) => text);
            const input = given({ emails, reason });
            const { created, known, refused } = await roster.suppressions.import(input, { signal });
            sum.created += created;
            sum.known += known;
            sum.refused += refused.length;
            for (const { index, message } of refused)
              output.note(`Line ${lines[index]!.number} ${printable(message)}.`);
            output.status(`Suppressing: ${sum.created + sum.known} addresses`);
          }
          output.status(undefined);
          await output.item(sum);
          return sum.refused === 0 ? exitCodes.ok : exitCodes.rowsRefused;
        }),
      ),
    'roster suppressions import bounces.txt --reason bounced',
  );

interface Line {
  number: number;
  text: string;
}

/** Of the API, which refuses a list with longer ones. */
const lineMax = 1000;

/** Lines that are not empty. @throws CommandFailure if the file cannot be read */
async function* linesOf(file: string): AsyncGenerator<Line> {
  const input = file === '-' ? process.stdin : createReadStream(file);
  let number = 0;
  try {
    for await (const line of createInterface({ input, crlfDelay: Infinity })) {
      number += 1;
      const text = line
        .replace(/^\uFEFF/, '')
        .trim()
        .slice(0, lineMax);
      if (text !== '') yield { number, text };
    }
  } catch (error) {
    throw new CommandFailure(
      `${file} cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown error'}).`,
    );
  }
}

async function* inPieces(lines: AsyncIterable<Line>): AsyncGenerator<Line[]> {
  let piece: Line[] = [];
  for await (const line of lines) {
    piece.push(line);
    if (piece.length < addressesMax) continue;
    yield piece;
    piece = [];
  }
  if (piece.length > 0) yield piece;
}
