import { Fault, operations, type Caller } from '@roster/contracts';
import test from 'ava';
import { Contended, currentLockWait, handleBatch, type Call, type Handler } from '../../index.js';

const callOf = (name: string): Call => ({
  input: name,
  caller: { workspaceId: name[0]! } as Caller,
  requestId: name,
  deadline: Date.now() + 60_000,
});
const contended = new Contended({ reason: 'locked' });

/** A handler for calls like `a1`, of workspace `a`; notes the names of calls handled together, and their limit for lock waits. */
function handlerFor(locked: readonly string[], parts?: string[][]) {
  const handled: [names: string, lockMs: number | undefined][] = [];
  const handle = async (calls: Call[]) => {
    const names = calls.map(({ requestId }) => requestId);
    handled.push([names.join(' '), currentLockWait()?.ms]);
    if (names.includes('broken')) throw new Error('broken');
    if (names.some((name) => locked.includes(name))) throw contended;
    return names;
  };
  const partsOf = (calls: readonly Call[]) =>
    parts?.map((part) => part.map((name) => calls.findIndex((call) => call.requestId === name)));
  return { handled, handler: Object.assign(handle, { partsOf }) as unknown as Handler };
}

async function answersTo(names: string[], handler: Handler, lockMs?: number) {
  const operation = operations['contacts.update'];
  const answers = await handleBatch(operation, names.map(callOf), handler, lockMs);
  return answers.map((answer) => {
    if (answer instanceof Contended) return 'contended';
    return answer instanceof Fault ? answer.code : answer;
  });
}

test('calls of other workspaces are handled without those of a workspace that waits for a lock', async (t) => {
  const { handled, handler } = handlerFor(['a1']);
  const answers = await answersTo(['b1', 'a1', 'c1', 'a2', 'b2'], handler, 300);
  t.deepEqual(answers, ['b1', 'contended', 'c1', 'contended', 'b2']);
  t.deepEqual(handled, [
    ['b1 a1 c1 a2 b2', 300],
    ['b1 b2', 20],
    ['a1 a2', 20],
    ['c1', 20],
  ]);
});

test('a batch of one workspace waits for a lock once', async (t) => {
  const { handled, handler } = handlerFor(['a1']);
  t.deepEqual(await answersTo(['a1', 'a2'], handler, 300), ['contended', 'contended']);
  t.deepEqual(handled, [['a1 a2', 300]]);
});

test('later parts are handled without the calls of a contended workspace, which keep their order', async (t) => {
  const parts = [['a1', 'b1'], ['a2'], ['b2', 'a3']];
  const { handled, handler } = handlerFor(['a1'], parts);
  const answers = await answersTo(['a1', 'a2', 'b1', 'a3', 'b2'], handler, 300);
  t.deepEqual(answers, ['contended', 'contended', 'b1', 'contended', 'b2']);
  t.deepEqual(
    handled.map(([names]) => names),
    ['a1 b1', 'a1', 'b1', 'b2'],
  );
});

test('a call that throws fails alone', async (t) => {
  const { handler } = handlerFor([]);
  t.deepEqual(await answersTo(['a1', 'broken', 'b1'], handler, 300), ['a1', 'internal', 'b1']);
});

test('nothing is handled again if the outcome is unknown', async (t) => {
  let handled = 0;
  const handler: Handler = async () => {
    handled += 1;
    throw new Fault('timeout', 'The change may have been applied.');
  };
  t.deepEqual(await answersTo(['a1', 'b1'], handler, 300), ['timeout', 'timeout']);
  t.is(handled, 1);
});
