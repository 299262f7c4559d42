import { deliveryCursor, invalidFields, timeOfId, uuidOf } from '@roster/contracts';
import type { Fault, FieldError, InputOf, Operations, OutputOf } from '@roster/contracts';
import type { Answer, Call } from '@roster/bus';
import { each, type SessionHandler } from '@roster/storage';
import { endOfIds, momentId } from '../delivery/delivery.js';
import { countDeliveries, readPages, statementName, type Search } from './delivery-pages.js';
import { refusalOfWebhook } from './require-webhook.js';
import type { DispatcherService } from '../service.js';

type OfWebhook = Operations['deliveries.list'];
type OfWorkspace = Operations['workspace-deliveries.list'];
type Page = OutputOf<OfWebhook>;

/** Runs one statement for all calls of the batch with the same filters and direction. Pages are newest first, from either end. */
export const listDeliveries =
  ({ database, subscriptions }: DispatcherService): SessionHandler<OfWebhook> =>
  async (calls) => {
    const answers: Answer<Page>[] = [];
    const groups = new Map<string, { search: Search; index: number }[]>();
    const checks = await Promise.all(
      calls.map(
        async ({ input, caller }) =>
          wrongCursor(input) ?? (await refusalOfWebhook(subscriptions, caller, input.webhookId)),
      ),
    );
    for (const [index, call] of calls.entries()) {
      const refusal = checks[index];
      if (refusal) {
        answers[index] = refusal;
        continue;
      }
      const { status, kind, ...input } = call.input;
      const search = searchOf(call, {
        ...input,
        ...(status !== undefined && { status: [status] }),
        ...(kind !== undefined && { kind: [kind] }),
      });
      const name = statementName(search);
      const group = groups.get(name);
      if (group) group.push({ search, index });
      else groups.set(name, [{ search, index }]);
    }
    for (const group of groups.values()) {
      const pages = await readPages(
        database,
        group.map(({ search }) => search),
      );
      for (const [at, { index }] of group.entries()) answers[index] = pages[at]!;
    }
    return answers;
  };

/** Those of deleted webhooks too: no webhook is looked up. */
export const listWorkspaceDeliveries = each<OfWorkspace>(async (call, session) => {
  const wrong = wrongCursor(call.input);
  if (wrong) throw wrong;
  const { totals: isCounted, ...input } = call.input;
  const search = searchOf(call, input);
  const [page] = await readPages(session, [search]);
  const { deliveries, pagination } = page!;
  return {
    deliveries,
    totals: isCounted ? await countDeliveries(session, search) : null,
    pagination,
  };
});

function wrongCursor(input: Pick<InputOf<OfWebhook>, 'after' | 'before'>): Fault | undefined {
  const errors: FieldError[] = [];
  for (const name of ['after', 'before'] as const) {
    const cursor = input[name];
    if (cursor !== undefined && deliveryCursor.uuid(cursor) === undefined)
      errors.push({ pointer: `/${name}`, message: 'must be a cursor' });
  }
  return errors.length > 0 ? invalidFields(errors) : undefined;
}

/** How much later than the first event of a contact its ID may be, by the clocks of two processes. */
const clockMarginMs = 60_000;

function searchOf({ caller }: Call, input: Omit<InputOf<OfWorkspace>, 'totals'>): Search {
  const { webhookId, status, kind, statusCode, contactId, since, until, ...page } = input;
  const idOf = (cursor: string | undefined) =>
    cursor === undefined ? null : deliveryCursor.uuid(cursor)!;
  // A contact has no event from before its creation, whose time its ID contains.
  const born = contactId === undefined ? 0 : timeOfId(uuidOf('contact', contactId)) - clockMarginMs;
  return {
    workspaceId: uuidOf('workspace', caller.workspaceId),
    webhookId: webhookId === undefined ? null : uuidOf('webhook', webhookId),
    statuses: status,
    kinds: kind,
    codes: statusCode === undefined ? undefined : codesOf(statusCode),
    contactId,
    since: momentId(Math.max(born, since === undefined ? 0 : Date.parse(since))),
    until: until === undefined ? endOfIds : momentId(until),
    ...page,
    after: idOf(page.after),
    before: idOf(page.before),
  };
}

/** The first and the last status code of `404`, `4xx` or `none`, which is 0. */
function codesOf(statusCode: string): [number, number] {
  if (statusCode === 'none') return [0, 0];
  return [Number(statusCode.replace('xx', '00')), Number(statusCode.replace('xx', '99'))];
}
