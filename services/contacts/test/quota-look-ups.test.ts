import { Fault } from '@roster/contracts';
import { IdClock } from '@roster/process';
import type { Session } from '@roster/storage';
import test from 'ava';
import { Quotas, refusalsByQuota } from '../writing/quotas.js';

const workspaceId = new IdClock().next();

/** A users service that answers each call when it is told to. */
function askable() {
  const calls: ((answer: number | null | Fault) => void)[] = [];
  const quotas = new Quotas({
    call: () =>
      new Promise((resolve, reject) =>
        calls.push((answer) =>
          answer instanceof Fault ? reject(answer) : resolve({ contacts: answer }),
        ),
      ) as never,
  });
  return { quotas, calls };
}

test('a quota is asked for once by creations at the same time, and then known', async (t) => {
  const { quotas, calls } = askable();
  const asked = [quotas.of(workspaceId), quotas.of(workspaceId)];
  t.is(calls.length, 1);
  calls[0]!(7);
  t.deepEqual(await Promise.all(asked.map(async (one) => one)), [7, 7]);
  t.is(quotas.of(workspaceId), 7);
  t.is(calls.length, 1);
});

test('while the users service is away, a quota that is not known limits nothing, and is asked for again', async (t) => {
  const { quotas, calls } = askable();
  const asked = quotas.of(workspaceId);
  calls[0]!(new Fault('unavailable', 'Away.'));
  t.is(await asked, null);
  t.is(quotas.of(workspaceId), null);
  t.is(calls.length, 2);
  calls[1]!(7);
  await new Promise(setImmediate);
  t.is(quotas.of(workspaceId), 7);
});

test('an answer from before a change is not kept', async (t) => {
  const { quotas, calls } = askable();
  const before = quotas.of(workspaceId);
  quotas.forget(workspaceId);
  const after = quotas.of(workspaceId);
  calls[0]!(1);
  t.is(await before, 1);
  calls[1]!(2);
  t.is(await after, 2);
  t.is(quotas.of(workspaceId), 2);
});

test('creations in workspaces without quotas run no statement, and others count only workspaces with one', async (t) => {
  const [limited, unlimited] = [workspaceId, new IdClock().next()];
  const { quotas, calls } = askable();
  const asked = [quotas.of(limited), quotas.of(unlimited)];
  calls[0]!(1);
  calls[1]!(null);
  await Promise.all(asked.map(async (one) => one));
  const counted: unknown[] = [];
  const session = {
    query: async (_: object, values: unknown[]) => {
      counted.push(values);
      return [{ id: limited, total: 0 }];
    },
  } as unknown as Session;
  t.is(await refusalsByQuota({ quotas }, [unlimited, unlimited], session), undefined);
  t.deepEqual(counted, []);
  const refusals = await refusalsByQuota({ quotas }, [limited, unlimited, limited], session);
  t.deepEqual(
    refusals!.map((refusal) => refusal?.code),
    [undefined, undefined, 'quota_exceeded'],
  );
  t.deepEqual(counted, [[[limited]]]);
});
