import { Command } from '@commander-js/extra-typings';

import type { Context, Run } from '../context.js';
import { withExamples } from './examples.js';

export const tags = (run: Run) =>
  new Command('tags').description('Tags of contacts.').addCommand(list(run));

const list = (run: Run) =>
  withExamples(
    new Command('list')
      .description('List the tags with the number of their contacts. Reads all contacts.')
      .action(
        run(async (context) => {
          const counts = await countTags(context);
          const rows = [...counts]
            .map(([tag, contacts]) => ({ tag, contacts }))
            .toSorted((a, b) => b.contacts - a.contacts || (a.tag < b.tag ? -1 : 1));
          await context.output.list(
            rows,
            [
              { name: 'tag', of: ({ tag }) => tag },
              { name: 'contacts', of: ({ contacts }) => contacts, align: 'right' },
            ],
            'No contact has a tag.',
          );
        }),
      ),
    'roster tags list',
  );

/** There is no list of tags: they are counted in an export of all contacts. */
async function countTags({ roster, output, signal }: Context): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  let read = 0;
  try {
    for await (const line of linesOf(roster.contacts.export({ format: 'ndjson' }, { signal }))) {
      const { tags } = JSON.parse(line) as { tags: string[] };
      for (const tag of tags) counts.set(tag, (counts.get(tag) ?? 0) + 1);
      if ((read += 1) % 10_000 === 0) output.status(`Counting: ${read} contacts`);
    }
  } finally {
    output.status(undefined);
  }
  return counts;
}

/** The lines of a file, of which the last may not be ended. readline would hide that the file broke off. */
async function* linesOf(bytes: AsyncIterable<Uint8Array>): AsyncIterable<string> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of bytes) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop()!;
    yield* lines.filter((line) => line !== '');
  }
  if (rest !== '') yield rest;
}
