import { createHash } from 'node:crypto';
import type { Call } from '@roster/bus';
import { Fault, uuidOf } from '@roster/contracts';
import { eventually } from '@roster/testing';
import test from 'ava';
import { deleteNextPortion } from '../operations/delete-workspace.js';
import { settleSuspensions } from '../operations/suspend-workspace.js';
import { callAs, callAsSystem, makeWorkspace, usersBench, verify } from './users-bench.js';

const adminKey = createHash('sha256').update('an admin key').digest('hex');
const bench = usersBench(test, { adminKeyHashes: [adminKey] });

/** The calls of other services, and how many portions each has left. */
const called: string[] = [];
const left: Record<string, number> = {};
let away = false;
let isServed = false;
test.beforeEach(() => {
  if (isServed) return;
  isServed = true;
  for (const service of ['webhooks', 'dispatcher', 'contacts'] as const)
    bench().bus.serve(service, {
      [`${service}.delete-workspace`]: async (calls: Call[]) =>
        calls.map(() => {
          if (away) return new Fault('unavailable', 'Away.');
          called.push(service);
          const portions = left[service] ?? 0;
          left[service] = Math.max(0, portions - 1);
          return { deleted: Math.min(portions, 1), isDone: portions === 0 };
        }),
      'webhook-suspensions.set': async (calls: Call[]) => {
        called.push('held');
        return calls.map(() => (away ? new Fault('unavailable', 'Away.') : { suspended: true }));
      },
    });
});

const change = (workspaceId: string) =>
  bench().bus.call('admin-workspaces.delete', { adminKey, workspaceId }, callAsSystem());
const get = (workspaceId: string) =>
  bench().bus.call('admin-workspaces.get', { adminKey, workspaceId }, callAsSystem());
const next = (graceSeconds = 0) =>
  deleteNextPortion({ database: bench().database, bus: bench().bus, graceSeconds });

async function isGone(workspaceId: string): Promise<boolean> {
  try {
    await get(workspaceId);
    return false;
  } catch {
    return true;
  }
}

test.serial(
  'a workspace is refused at once, and deleted by every service and then here, with its progress',
  async (t) => {
    const { workspaceId, apiKey } = await makeWorkspace(bench());
    const other = await makeWorkspace(bench());
    left['contacts'] = 2;
    called.length = 0;
    const { workspace } = await change(workspaceId);
    t.like(workspace, { status: 'deleting', deletion: { phase: 'webhooks', deleted: 0 } });
    t.deepEqual(called, ['held']);
    await t.throwsAsync(verify(bench(), apiKey), { code: 'workspace_suspended' });
    const phases = new Set<string>([workspace.deletion!.phase]);
    let deleted = 0;
    while (!(await isGone(workspaceId))) {
      await next();
      const shown = await get(workspaceId).catch(() => undefined);
      if (shown) {
        phases.add(shown.workspace.deletion!.phase);
        t.true(shown.workspace.deletion!.deleted >= deleted);
        ({ deleted } = shown.workspace.deletion!);
      }
    }
    t.deepEqual([...phases], ['webhooks', 'dispatcher', 'contacts', 'users']);
    t.deepEqual(called, ['held', 'webhooks', 'dispatcher', 'contacts', 'contacts', 'contacts']);
    t.true(deleted > 4);
    await t.throwsAsync(verify(bench(), apiKey), { code: 'unauthenticated' });
    t.truthy(await verify(bench(), other.apiKey));
    const tables = await bench().database.query<{ name: string }>(
      {
        name: 'test.tables',
        text: `select table_name as name from information_schema.tables where table_schema = 'users'`,
      },
      [],
    );
    const id = uuidOf('workspace', workspaceId);
    for (const { name } of tables) {
      const rows = await bench().database.query(
        {
          name: `test.rows-${name}`,
          text: `select from users.${name} t where t::text like '%' || $1 || '%' or t::text like '%' || $2 || '%'`,
        },
        [id, workspaceId],
      );
      t.is(rows.length, 0, name);
    }
  },
);

test.serial(
  'what is written late is deleted by a pass that begins when nothing can be late any more',
  async (t) => {
    const made = await makeWorkspace(bench());
    const { workspaceId } = made;
    await change(workspaceId);
    const phase = async () => (await get(workspaceId)).workspace.deletion!.phase;
    for (let count = 0; (await phase()) !== 'waiting' && count < 100; count += 1) await next(3600);
    t.is(await phase(), 'waiting');
    await next(3600);
    t.is(await phase(), 'waiting');
    // A gateway has admitted it before.
    await bench().bus.call(
      'users.create',
      { email: 'late@example.com', name: 'Late' },
      callAs(made),
    );
    called.length = 0;
    for (let count = 0; !(await isGone(workspaceId)) && count < 100; count += 1) await next();
    t.true(await isGone(workspaceId));
    t.deepEqual(called, ['webhooks', 'dispatcher', 'contacts']);
  },
);

test.serial(
  'while a service is away nothing is lost, and a repeated request shows the progress',
  async (t) => {
    const { workspaceId } = await makeWorkspace(bench());
    away = true;
    await t.throwsAsync(change(workspaceId), { code: 'unavailable' });
    called.length = 0;
    await next();
    t.deepEqual(called, [], 'nothing is deleted while deliveries may go out');
    away = false;
    await settleSuspensions(bench());
    away = true;
    await t.throwsAsync(next(), { code: 'unavailable' });
    away = false;
    t.like((await change(workspaceId)).workspace, { deletion: { phase: 'webhooks' } });
    for (const verb of ['suspend', 'resume'] as const)
      await t.throwsAsync(
        bench().bus.call(`admin-workspaces.${verb}`, { adminKey, workspaceId }, callAsSystem()),
        { code: 'conflict' },
      );
    // Several processes do it: none waits for another.
    await eventually(async () => {
      await Promise.all([next(), next(), next()]);
      return isGone(workspaceId);
    });
  },
);
