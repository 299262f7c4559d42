import { EventEraser } from '@roster/bus';
import {
  operations,
  type CallInputOf,
  type InputOf,
  type OperationName,
  type Operations,
  type OutputOf,
} from '@roster/contracts';
import { openLog } from '@roster/process';
import { startTracing, traceIdOf } from '@roster/telemetry';
import {
  callAs,
  eventually,
  startOtlpReceiver,
  type OtlpReceiver,
  type ReceivedSpan,
} from '@roster/testing';
import test, { type ExecutionContext } from 'ava';
import { ActionJobs } from '../actions/action-jobs.js';
import { ErasureJobs, type ErasureParts } from '../erasures/erasure-jobs.js';
import { ImportJobs } from '../imports/import-jobs.js';
import { JobRunner } from '../jobs/job-runner.js';
import { dyingDatabase } from './imports/running-imports.js';
import { contactsFor, newWorkspace, type Workspace } from './running-contacts.js';

/** A runner does the jobs of all workspaces: the tests follow one another. */
const running = contactsFor(test);

let receiver: OtlpReceiver;
test.before(async (t) => {
  receiver = await startOtlpReceiver();
  const options = { url: `${receiver.url}/v1/traces`, headers: {}, ratio: 1, resource: {} };
  await startTracing({
    ...options,
    // Clients decide.
    sampler: 'parentbased_always_off',
    onDropped: (spans) => t.log(`${spans} spans were dropped`),
  });
});
test.after.always(() => receiver?.stop());

const clientSpan = 'b7ad6b7169203331';
const newTraceId = (n: number) => String(n).padStart(32, 'a');

const erasing: ErasureParts['bus'] = {
  call: ((name: string) =>
    Promise.resolve(
      name === 'dispatcher.is-acknowledged'
        ? { acknowledged: true }
        : { reached: null, deliveries: 0, records: 0 },
    )) as never,
};

/** A process that does jobs, which dies before the statement `n` if that is given. */
function startRunner(t: ExecutionContext, n?: number) {
  const { service, bus } = running();
  const dying = n === undefined ? undefined : dyingDatabase(service.database, n);
  const of = { ...service, ...(dying && { database: dying.database }) };
  const kinds = [
    new ImportJobs(of),
    new ActionJobs(of),
    new ErasureJobs(of, { events: new EventEraser(bus.link), bus: erasing }),
  ];
  const runner = new JobRunner(of, kinds, { log: openLog('contacts', 'silent'), pollMs: 10 });
  t.teardown(() => runner.stop());
  return { runner, died: dying?.died };
}

/** A call of a request whose trace is sampled, or not. */
const callOf = <Name extends OperationName>(
  { caller }: Workspace,
  name: Name,
  input: CallInputOf<Operations[Name]>,
  traceId: string,
  flags = '01',
): Promise<OutputOf<Operations[Name]>> =>
  running().bus.call(name, operations[name].input.parse(input) as InputOf<Operations[Name]>, {
    ...callAs(caller, { timeoutMs: 60_000 }),
    traceparent: `00-${traceId}-${clientSpan}-${flags}`,
    tracestate: 'vendor=a',
  });

async function upload(workspace: Workspace, emails: string[], traceId: string, flags?: string) {
  const created = await callOf(workspace, 'imports.create', {}, traceId, flags);
  const importId = created.import.id;
  const rows = emails.map((email, at) => ({ row: at + 1, contact: { email } }));
  const chunk = { importId, ordinal: 0, rows: rows as never };
  await callOf(workspace, 'imports.append', chunk, traceId, flags);
  const all = { importId, chunks: 1, total: rows.length };
  await callOf(workspace, 'imports.finish', all, traceId, flags);
  return importId;
}

const untilEnded = (isEnded: () => Promise<boolean>) => eventually(isEnded, { timeoutMs: 60_000 });

const importEnded = (workspace: Workspace, importId: string) =>
  untilEnded(
    async () => (await workspace.call('imports.get', { importId })).import.endedAt !== null,
  );

/** The spans of a trace, when the last one of these has arrived. */
const spansOf = (traceId: string, isWhole: (spans: ReceivedSpan[]) => boolean) =>
  eventually(
    () => {
      const spans = receiver.spans.filter((span) => span.traceId === traceId);
      return isWhole(spans) && spans;
    },
    { timeoutMs: 30_000 },
  );

const named = (spans: readonly ReceivedSpan[], name: string) =>
  spans.filter((span) => span.name === name);

/** The traces of the events of a workspace in the stream. */
async function tracesOf({ id }: Workspace, count: number) {
  const events = new EventEraser(running().bus.link);
  return eventually(async () => {
    const found: { kind: string; traceparent: string | undefined; tracestate: unknown }[] = [];
    for (let sequence = 1; ;) {
      const message = await events.next(id, sequence);
      if (!message) return found.length === count && found;
      sequence = message.sequence + 1;
      for (const { trace } of message.events)
        found.push({
          kind: message.kind,
          traceparent: trace?.traceparent,
          tracestate: trace?.tracestate,
        });
    }
  });
}

/** Whether a statement belongs to a span. */
const isBelow = (span: ReceivedSpan) => (other: ReceivedSpan) => other.parentSpanId === span.spanId;

test.serial(
  'an import that another process continues belongs to the trace of its request, with its statements and the events of its contacts',
  async (t) => {
    const workspace = newWorkspace(running().bus);
    const traceId = newTraceId(1);
    const emails = Array.from({ length: 500 }, (_, n) => `${n}@example.com`);
    const id = await upload(workspace, emails, traceId);
    // After some statements of a slice.
    const first = startRunner(t, 8);
    await first.died;
    await first.runner.stop();
    startRunner(t);
    await importEnded(workspace, id);
    const events = await tracesOf(workspace, emails.length + 1);
    const published = (spans: ReceivedSpan[]) => named(spans, 'publish CONTACT_CREATED');
    const spans = await spansOf(
      traceId,
      (all) => named(all, 'publish IMPORT_ENDED').length === 1 && published(all).length >= 2,
    );
    const [request] = named(spans, 'process imports.create');
    const slices = named(spans, 'process import');
    t.true(slices.length >= 3);
    for (const slice of slices) {
      t.is(slice.parentSpanId, request!.spanId);
      t.deepEqual(slice.attributes, {
        ...{ 'roster.job.id': id, 'roster.workspace.id': workspace.id },
        ...(slice.isError && { 'error.type': 'internal' }),
      });
      if (!slice.isError) t.true(spans.some(isBelow(slice)));
    }
    t.true(slices.filter(({ isError }) => isError).length >= 1, 'the one that was interrupted');
    const done = new Set(slices.map(({ spanId }) => spanId));
    for (const { parentSpanId } of published(spans)) t.true(done.has(parentSpanId));
    for (const { traceparent, tracestate } of events) {
      t.is(traceIdOf(traceparent), traceId);
      t.is(tracestate, 'vendor=a');
    }
    t.is(events.at(-1)!.kind, 'IMPORT_ENDED');
  },
);

test.serial('jobs of requests that are not sampled have no spans and keep no trace', async (t) => {
  const workspace = newWorkspace(running().bus);
  const traceId = newTraceId(2);
  startRunner(t);
  await importEnded(workspace, await upload(workspace, ['a@example.com'], traceId, '00'));
  t.deepEqual(
    (await tracesOf(workspace, 2)).map(({ traceparent }) => traceparent),
    [undefined, undefined],
  );
  const stored = { name: 'test.traces', text: 'select from contacts.imports where trace like $1' };
  t.deepEqual(await running().database.query(stored, [`%${traceId}%`]), []);
  t.false(receiver.spans.some((span) => span.traceId === traceId));
});

test.serial('an action belongs to the trace of its request', async (t) => {
  const workspace = newWorkspace(running().bus);
  const traceId = newTraceId(3);
  for (let n = 0; n < 3; n += 1)
    await workspace.call('contacts.create', { email: `${n}@example.com` });
  const input = { filter: {}, change: { addTags: ['new'] } };
  const { action } = await callOf(workspace, 'contact-actions.create', input, traceId);
  startRunner(t);
  await untilEnded(async () => {
    const found = await workspace.call('contact-actions.get', { actionId: action.id });
    return found.action.endedAt !== null;
  });
  const events = await tracesOf(workspace, 3 + 3 + 1);
  const spans = await spansOf(traceId, (all) => named(all, 'publish ACTION_ENDED').length === 1);
  const [slice] = named(spans, 'process action');
  t.is(slice!.parentSpanId, named(spans, 'process contact-actions.create')[0]!.spanId);
  t.is(slice!.attributes['roster.job.id'], action.id);
  t.true(spans.some(isBelow(slice!)));
  const traced = events.filter(({ traceparent }) => traceIdOf(traceparent) === traceId);
  t.deepEqual(
    traced.map(({ kind }) => kind),
    [...Array.from({ length: 3 }, () => 'CONTACT_UPDATED'), 'ACTION_ENDED'],
  );
});

test.serial('an erasure belongs to the trace of its request, without its waiting', async (t) => {
  const workspace = newWorkspace(running().bus);
  const traceId = newTraceId(4);
  const { contact } = await workspace.call('contacts.create', { email: 'a@example.com' });
  const input = { contactId: contact.id };
  const { erasure } = await callOf(workspace, 'contacts.erase', input, traceId);
  startRunner(t);
  await untilEnded(async () => {
    const found = await workspace.call('erasures.get', { erasureId: erasure.id });
    return found.erasure.endedAt !== null;
  });
  const spans = await spansOf(traceId, (all) => named(all, 'process erasure').length === 2);
  const [request] = named(spans, 'process contacts.erase');
  for (const slice of named(spans, 'process erasure')) {
    t.is(slice.parentSpanId, request!.spanId);
    t.is(slice.attributes['roster.job.id'], erasure.id);
  }
  const [published] = named(spans, 'publish CONTACT_DELETED');
  t.is(published!.parentSpanId, request!.spanId);
});
