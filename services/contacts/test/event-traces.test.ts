import { EventEraser, Json, type Call } from '@roster/bus';
import type { CallInputOf, EventBody, InputOf, OperationName, Operations } from '@roster/contracts';
import { operations, uuidOf } from '@roster/contracts';
import { startTracing, traceIdOf } from '@roster/telemetry';
import { callAs, eventually } from '@roster/testing';
import test from 'ava';
import { handlers } from '../handlers.js';
import type { ContactsService } from '../service.js';
import { contactsFor, newWorkspace, type Workspace } from './running-contacts.js';
import { serviceOn } from './service-on.js';

const running = contactsFor(test);

test.before(async () => {
  const options = { url: 'http://127.0.0.1:1', headers: {}, ratio: 1, resource: {} };
  // Clients decide.
  await startTracing({ ...options, sampler: 'parentbased_always_off', onDropped() {} });
});

/** The ID of a trace, and its tracestate. */
type Trace = (string | undefined)[];

type Written = 'contacts.create' | 'contacts.update' | 'contacts.unsubscribe' | 'contacts.delete';

const traceparent = (n: number) => `00-${String(n).padStart(32, 'a')}-${'b'.repeat(16)}-01`;
const unsampled = `00-${'c'.repeat(32)}-${'b'.repeat(16)}-00`;

/** A process that commits events, and dies before it publishes any. */
const dying = (): ContactsService => {
  const { database, outbox } = running().service;
  const { rowBytesMax } = outbox;
  return { ...serviceOn(database), outbox: { rowBytesMax, publish() {} } as never };
};

/** Handles calls of one batch. */
async function handle<Name extends Written>(
  workspace: Workspace,
  name: Name,
  calls: {
    input: CallInputOf<Operations[Name]>;
    cause: Pick<Call, 'traceparent' | 'tracestate'>;
  }[],
): Promise<string[]> {
  const handler = handlers(dying())[name] as unknown as (all: Call[]) => Promise<unknown[]>;
  const answers = await handler(
    calls.map(({ input, cause }) => ({
      ...callAs(workspace.caller),
      ...cause,
      input: operations[name as OperationName].input.parse(input) as InputOf<Operations[Name]>,
    })),
  );
  return answers.map((answer) =>
    answer instanceof Json
      ? (JSON.parse(answer.text) as { contact: { id: string } }).contact.id
      : JSON.stringify(answer),
  );
}

/** The traces of the published events of a workspace, by their kind and contact. */
async function publishedTraces({ id }: Workspace, count: number) {
  const events = new EventEraser(running().bus.link);
  return eventually(
    async () => {
      const found = new Map<string, Trace | undefined>();
      for (let sequence = 1; ;) {
        const message = await events.next(id, sequence);
        if (!message) return found.size === count && found;
        sequence = message.sequence + 1;
        for (const { body, trace } of message.events) {
          const { event, data } = JSON.parse(body) as EventBody<'CONTACT_CREATED'>;
          // The span of the publication is another one.
          const of = trace && [traceIdOf(trace.traceparent), trace.tracestate];
          found.set(`${event} ${data.contact.id}`, of);
        }
      }
    },
    { timeoutMs: 30_000 },
  );
}

const storedTraces = async ({ id }: Workspace) =>
  running().database.query<{ trace: string | null }>(
    { name: 'test.traces', text: 'select trace from contacts.outbox where workspace_id = $1' },
    [uuidOf('workspace', id)],
  );

for (const [what, size] of Object.entries({ alone: 1, 'with others in one row': 4 }))
  test(`the event of a traced change has its trace if the process dies between the commit and the publication: ${what}`, async (t) => {
    const workspace = newWorkspace(running().bus);
    const expected = new Map<string, Trace | undefined>();
    let n = 0;
    const change = async <Name extends Written>(
      name: Name,
      kind: string,
      inputs: CallInputOf<Operations[Name]>[],
    ): Promise<string[]> => {
      const calls = inputs.map((input, at) => {
        const traced = { traceparent: traceparent((n += 1)) };
        // Of several, one is not traced, and one not sampled.
        const cause: Pick<Call, 'traceparent' | 'tracestate'> = [
          { ...traced, tracestate: 'vendor=a' },
          traced,
          {},
          { traceparent: unsampled },
        ][at]!;
        return { input, cause };
      });
      const ids = await handle(workspace, name, calls);
      const contacts = name === 'contacts.delete' ? inputs.map(contactIdOf) : ids;
      for (const [at, { cause }] of calls.entries())
        expected.set(
          `${kind} ${contacts[at]}`,
          at < 2 ? [traceIdOf(cause.traceparent), cause.tracestate] : undefined,
        );
      return contacts;
    };
    const some = Array.from({ length: size }, (_, at) => at);
    const created = some.map((at) => ({ email: `${at}@example.com` }));
    const ids = await change('contacts.create', 'CONTACT_CREATED', created);
    const named = ids.map((contactId) => ({ contactId }));
    await change(
      'contacts.update',
      'CONTACT_UPDATED',
      named.map((one) => ({ ...one, name: 'New' })),
    );
    await change('contacts.unsubscribe', 'CONTACT_UNSUBSCRIBED', named);
    await change('contacts.delete', 'CONTACT_DELETED', named);
    const found = await publishedTraces(workspace, 4 * size);
    t.deepEqual(found, expected);
    t.is((await storedTraces(workspace)).length, 4);
  });

const contactIdOf = (input: object) => (input as { contactId: string }).contactId;

test('the rows of a batch of operations have its trace, and those of changes that are not traced have none', async (t) => {
  const [traced, untraced] = [newWorkspace(running().bus), newWorkspace(running().bus)];
  const emails = Array.from({ length: 60 }, (_, n) => `${n}@example.com`);
  const input = { operations: emails.map((email) => ({ action: 'create' as const, email })) };
  const batch = handlers(dying())['contacts.batch'];
  for (const [{ caller }, cause] of [
    [traced, { traceparent: traceparent(0) }],
    [untraced, { traceparent: unsampled }],
  ] as const)
    await batch([
      { ...callAs(caller), ...cause, input: operations['contacts.batch'].input.parse(input) },
    ]);
  for (const trace of (await publishedTraces(traced, emails.length)).values())
    t.deepEqual(trace, [traceIdOf(traceparent(0)), undefined]);
  for (const { trace } of await storedTraces(untraced)) t.is(trace, null);
});
