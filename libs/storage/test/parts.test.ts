import type { Call } from '@roster/bus';
import type { Operation } from '@roster/contracts';
import test from 'ava';
import {
  each,
  idempotent,
  inRounds,
  partsApart,
  type Database,
  type SessionHandler,
} from '../index.js';

const database = {} as Database;
const handle: SessionHandler<Operation> = async (calls) => calls.map(() => ({}));

/** Calls written as `row`, `row!` (to be handled alone), `row#key` (with an Idempotency-Key) or `row@workspace`. */
const callsOf = (...written: string[]): Call<never>[] =>
  written.map((text) => {
    const [of, workspaceId = 'own'] = text.split('@');
    const [input, idempotencyKey] = of!.split('#');
    const key = idempotencyKey === undefined ? {} : { idempotencyKey };
    return { input, caller: { workspaceId }, ...key } as unknown as Call<never>;
  });
const rounds = () =>
  inRounds<Operation>(
    {
      rowOf: ({ input }) => String(input).replace('!', ''),
      isAlone: ({ input }) => String(input).endsWith('!'),
    },
    async (...given) => handle(...given),
  );

test('calls for different rows are one part, and calls for one row are sequential', (t) => {
  const { partsOf } = rounds();
  t.deepEqual(partsOf!(callsOf('a', 'b', 'c')), [[0, 1, 2]]);
  t.deepEqual(partsOf!(callsOf('a', 'b', 'a', 'a', 'c', 'b')), [[0, 1, 4], [2, 5], [3]]);
});

test('a call that must not share a statement is a part of its own, in its round', (t) => {
  const { partsOf } = rounds();
  t.deepEqual(partsOf!(callsOf('a', 'b!', 'c!', 'a', 'c')), [[0], [1], [2], [3, 4]]);
  t.deepEqual(partsOf!(callsOf('a!')), [[0]]);
});

test('rare calls follow the parts of the others, each a part of its own or as they are divided', (t) => {
  const isRare = ({ input }: Call<never>) => String(input).endsWith('!');
  const parts = (...written: string[]) => partsApart(callsOf(...written), isRare, rounds().partsOf);
  t.deepEqual(partsApart(callsOf('a', 'b'), isRare), undefined);
  t.deepEqual(partsApart(callsOf('a!', 'b', 'c!', 'd'), isRare), [[1, 3], [0], [2]]);
  t.deepEqual(parts('a', 'b', 'a'), [[0, 1], [2]]);
  t.deepEqual(parts('x!', 'a', 'b', 'y!', 'a'), [[1, 2], [4], [0], [3]]);
  t.deepEqual(parts('x!'), [[0]]);
  const divided = partsApart(callsOf('x!', 'a', 'y!'), isRare, undefined, (rare) => [rare]);
  t.deepEqual(divided, [[1], [0, 2]]);
});

test('calls of rare operations are parts of their own', (t) => {
  const { partsOf } = each<Operation>(async () => ({}));
  t.deepEqual(partsOf!(callsOf('a', 'b')), [[0], [1]]);
});

test('the calls of a workspace with an Idempotency-Key are separate from those of others, in order', (t) => {
  const plain = idempotent<Operation>(database, 'probe', 'probe.write', handle);
  t.is(plain.partsOf!(callsOf('a', 'b@2')), undefined, 'one part');
  t.deepEqual(plain.partsOf!(callsOf('a', 'b@2', 'c#1', 'd@3', 'e')), [
    [0, 2, 4],
    [1, 3],
  ]);
  t.deepEqual(plain.partsOf!(callsOf('a#1', 'b#1@2')), [[0], [1]]);
  const cut = idempotent<Operation>(database, 'probe', 'probe.write', rounds());
  t.deepEqual(cut.partsOf!(callsOf('a', 'a', 'b')), [[0, 2], [1]]);
  t.deepEqual(cut.partsOf!(callsOf('x#1', 'a', 'a', 'b', 'a#2')), [[0, 1, 3], [2], [4]]);
  t.deepEqual(cut.partsOf!(callsOf('a@2', 'a#1', 'a@2')), [[0], [2], [1]]);
});
