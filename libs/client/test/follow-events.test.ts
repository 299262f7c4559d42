import { setTimeout as delay } from 'node:timers/promises';
import test from 'ava';
import { followEvents, type FollowOptions } from '../follow-events.js';

interface Event {
  id: string;
}

/** A log whose cursors are indexes, and that fails as told. */
class Log {
  readonly events: Event[] = [];
  readonly queries: Record<string, unknown>[] = [];
  readonly failures: object[] = [];
  pageMax = 3;

  add(count: number): void {
    for (let n = 0; n < count; n += 1) this.events.push({ id: `evt_${this.events.length}` });
  }

  readonly list = async (query: { after?: string; since?: string }) => {
    this.queries.push(query);
    await delay(1);
    const failure = this.failures.shift();
    if (failure) throw Object.assign(new Error('failed'), failure);
    const isEnd = query.since !== undefined;
    const start = Number(query.after ?? (isEnd ? this.events.length : 0));
    const events = this.events.slice(start, start + this.pageMax);
    const end = start + events.length;
    const next = end === 0 ? null : String(end);
    return { events, pagination: { next, hasMore: end < this.events.length } };
  };

  /** The IDs and positions of the next events. */
  async take(count: number, options: FollowOptions = {}): Promise<[id: string, at: string][]> {
    const taken: [string, string][] = [];
    if (count === 0) return taken;
    for await (const { id, position } of followEvents(this.list, options)) {
      taken.push([id, position]);
      if (taken.length === count) break;
    }
    return taken;
  }
}

const idsOf = (taken: [string, string][]) => taken.map(([id]) => id);
const numbered = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, n) => `evt_${from + n}`);

test('each position continues with the next event', async (t) => {
  const log = new Log();
  log.add(10);
  const all = await log.take(10, { after: '0' });
  t.deepEqual(idsOf(all), numbered(0, 10));
  for (const [index, [, after]] of all.slice(0, 9).entries())
    t.deepEqual(idsOf(await log.take(9 - index, { after })), numbered(index + 1, 10), after);
});

test('without a position, it begins with what is published after the first answer', async (t) => {
  for (const before of [0, 4]) {
    const log = new Log();
    log.add(before);
    const pages: unknown[] = [];
    const onPage = (page: object) => {
      if (pages.push(page) === 1) log.add(2);
    };
    t.deepEqual(idsOf(await log.take(2, { onPage })), numbered(before, before + 2));
    const position = before === 0 ? undefined : '4';
    t.deepEqual(pages[0], { events: 0, position, hasMore: false });
  }
});

test('no event is left out or repeated, whatever fails, and the server decides how soon it is asked again', async (t) => {
  const log = new Log();
  log.add(9);
  const failures = [
    { status: 0, code: 'unreachable' },
    { status: 503, code: 'unavailable' },
    { status: 429, code: 'rate_limited', retryAfterSeconds: 1 },
    { status: 404, code: 'unexpected_response' },
  ];
  const waits: number[] = [];
  const onTrouble = (_: Error, waitMs: number) => void waits.push(waitMs);
  const taken: string[] = [];
  for await (const { id } of followEvents(log.list, { after: '0', onTrouble })) {
    taken.push(id);
    log.failures.push(...failures.splice(0, 1));
    if (taken.length === 9) break;
  }
  t.deepEqual(taken, numbered(0, 9));
  t.is(waits.length, 4);
  const rest = log.take(1, { onTrouble });
  log.failures.push({ status: 429, retryAfterSeconds: 1 });
  setTimeout(() => log.add(1), 2500);
  t.deepEqual(idsOf(await rest), ['evt_9']);
  t.true(waits.at(-1)! >= 1000);
});

test('it asks again within about a minute, whatever Retry-After says, and after an answer that is no page', async (t) => {
  const log = new Log();
  log.add(1);
  const end = new AbortController();
  const waits: number[] = [];
  const onTrouble = (_: Error, waitMs: number) => {
    if (waits.push(waitMs) === 2) end.abort(new Error('enough'));
  };
  let isPage = false;
  const list = async (query: { after?: string }) => {
    if (isPage) return log.list(query);
    isPage = true;
    return { events: null, pagination: null } as unknown as Awaited<ReturnType<typeof log.list>>;
  };
  log.failures.push({ status: 429, retryAfterSeconds: 31_536_000 });
  const options = { after: '0', onTrouble, signal: end.signal };
  await t.throwsAsync(
    async () => {
      for await (const _ of followEvents(list, options)) t.fail();
    },
    { message: 'enough' },
  );
  t.is(waits.length, 2);
  t.is(waits[1], 60_000);
});

test('an event that the log has twice is given once', async (t) => {
  const log = new Log();
  log.add(4);
  log.events.push({ id: 'evt_1' }, { id: 'evt_2' });
  log.add(1);
  t.deepEqual(idsOf(await log.take(5, { after: '0' })), [...numbered(0, 4), 'evt_6']);
});

test('a refused key or position ends it, and a signal with its reason', async (t) => {
  for (const status of [401, 403, 422]) {
    const log = new Log();
    log.failures.push({ status });
    await t.throwsAsync(log.take(1), { message: 'failed' });
    t.is(log.queries.length, 1);
  }
  const controller = new AbortController();
  const { signal } = controller;
  setTimeout(() => controller.abort(new Error('enough')), 50);
  await t.throwsAsync(new Log().take(1, { signal }), { message: 'enough' });
});

test('a page is requested when the events of the one before are taken', async (t) => {
  const log = new Log();
  log.add(9);
  const following = followEvents(log.list, { after: '0' });
  for (let n = 0; n < 3; n += 1) await following.next();
  await delay(50);
  t.is(log.queries.length, 1);
  await following.next();
  t.is(log.queries.length, 2);
  await following.return();
});
