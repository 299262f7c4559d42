import { PassThrough } from 'node:stream';

import test from 'ava';

import { CommandFailure } from '../failure.js';
import { Output, printable, toJson } from '../output.js';

interface Row {
  id: string;
  name: string;
  tags: string[];
}
const columns = [
  { name: 'id', of: ({ id }: Row) => id, whole: true },
  { name: 'name', of: ({ name }: Row) => name },
  { name: 'tags', of: ({ tags }: Row) => tags },
] as const;
const rows: Row[] = [
  { id: 'cont_1', name: 'Ada Lovelace', tags: ['early', 'vip'] },
  { id: 'cont_2', name: '花子\x1b[31m\u202e', tags: [] },
];

/** An output that is read as text: a terminal if it has columns. */
function outputOf(terminalColumns?: number, json = false) {
  const stdout = new PassThrough();
  const stderr = new PassThrough();
  const terminal = terminalColumns === undefined ? {} : { isTTY: true, columns: terminalColumns };
  const output = new Output({
    json,
    color: false,
    stdout: Object.assign(stdout, terminal) as unknown as NodeJS.WriteStream,
    stderr: stderr as unknown as NodeJS.WriteStream,
  });
  return { output, stdout, printed: () => String(stdout.read() ?? '') };
}

test('a terminal gets a table, in which control characters of the server are shown, not obeyed', async (t) => {
  const { output, printed } = outputOf(80);
  await output.list(rows, columns);
  t.is(
    printed(),
    'ID      NAME                    TAGS\n' +
      'cont_1  Ada Lovelace            early, vip\n' +
      'cont_2  花子\\u{1b}[31m\\u{202e}\n',
  );
});

test('no line is wider than the terminal, and IDs are shortened last', async (t) => {
  const { output, printed } = outputOf(28);
  await output.list(rows, columns);
  t.is(printed(), 'ID      NAME       TAGS\ncont_1  Ada Love…  early, v…\ncont_2  花子\\u{1…\n');
});

test('anything else, or --json, gets an object per line with the same content', async (t) => {
  for (const { output, printed } of [outputOf(), outputOf(80, true)]) {
    await output.list(rows, columns);
    const text = printed();
    t.deepEqual(
      text
        .trimEnd()
        .split('\n')
        .map((one) => JSON.parse(one) as Row),
      rows,
    );
    t.notRegex(text, /[^\n\x20-\x7e\u{3000}-\u{9fff}]/u);
  }
});

test('rows are printed as they come, with the widths of the first page', async (t) => {
  const { output, printed } = outputOf(80);
  let given = 0;
  async function* many() {
    for (; given < 250; given += 1) yield { id: `cont_${given}`, name: '', tags: [] };
  }
  await output.list(many(), columns);
  t.is(printed().trimEnd().split('\n').length, 251);
});

test('a closed pipe ends a list in silence', async (t) => {
  const { output, stdout } = outputOf();
  let given = 0;
  function* endless() {
    for (;;) {
      if (given === 3) stdout.destroy(Object.assign(new Error('closed'), { code: 'EPIPE' }));
      yield { id: `cont_${(given += 1)}`, name: '', tags: [] };
    }
  }
  async function* slowly() {
    for (const row of endless()) {
      yield row;
      await new Promise(setImmediate);
    }
  }
  await output.list(slowly(), columns);
  t.true(output.isClosed);
  t.true(given < 10);
});

test('a full disk fails with a sentence', async (t) => {
  const { output, stdout } = outputOf();
  stdout.destroy(Object.assign(new Error('full'), { code: 'ENOSPC' }));
  await new Promise(setImmediate);
  await t.throwsAsync(output.item({ a: 1 }), {
    instanceOf: CommandFailure,
    message: 'The output cannot be written: no space is left on the disk.',
  });
});

test('fields of an object are lines, those within it with their path', async (t) => {
  const { output, printed } = outputOf(80);
  await output.item({ id: 'cont_1', tags: ['a', 'b'], properties: { city: 'Paris\n' }, at: null });
  t.is(
    printed(),
    'id               cont_1\ntags             a, b\nproperties.city  Paris\\u{a}\nat               \n',
  );
});

test('escaped texts are the same to JSON, and visible to people', (t) => {
  const text = 'a\x9b31m\u202eb\u2028';
  t.is(JSON.parse(toJson(text)), text);
  t.notRegex(toJson(text), /[^\x20-\x7e]/);
  t.is(printable(text), 'a\\u{9b}31m\\u{202e}b\\u{2028}');
});
