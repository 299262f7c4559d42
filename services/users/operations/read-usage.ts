import type { Call } from '@roster/bus';
import {
  invalidFields,
  systemCaller,
  usageLimits,
  uuidOf,
  type InputOf,
  type Operations,
  type OutputOf,
} from '@roster/contracts';
import { each, type Session, type Statement } from '@roster/storage';
import type { UsersService } from '../service.js';
import { findWorkspace } from './admin-workspaces.js';

type Usage = OutputOf<Operations['usage.get']>;
type Input = InputOf<Operations['usage.get']>;

/** For the callers of a workspace. */
export const getUsage = (service: UsersService) =>
  each<Operations['usage.get']>((call, session) =>
    usageOf(service, session, call, call.caller.workspaceId),
  );

/** For the operator. */
export const getWorkspaceUsage = (service: UsersService) =>
  each<Operations['admin-workspaces.usage']>(async (call, session) => {
    service.adminKeys.require(call.input);
    await findWorkspace(session, call.input.workspaceId);
    return usageOf(service, session, call, call.input.workspaceId);
  });

/** The own counts, joined with those of the other services. Without one of them there is no answer, because a zero would be wrong. */
async function usageOf(
  { bus }: Pick<UsersService, 'bus'>,
  session: Session,
  { input, requestId, traceparent, deadline }: Call<Input>,
  workspaceId: string,
): Promise<Usage> {
  const period = periodOf(input);
  if (period.from > period.to) return { usage: [] };
  const context = {
    caller: { ...systemCaller, workspaceId },
    requestId,
    deadline,
    ...(traceparent !== undefined && { traceparent }),
  };
  const wanted = { workspaceId, ...period };
  const [requests, contacts, deliveries] = await Promise.all([
    session.query<{ day: string; requests: number }>(select, [
      ...[uuidOf('workspace', workspaceId), period.from, period.to],
    ]),
    bus.call('contacts.usage', wanted, context),
    bus.call('dispatcher.usage', wanted, context),
  ]);
  const requestsOn = byDay(requests);
  const contactsOn = byDay(contacts.days);
  const deliveriesOn = byDay(deliveries.days);
  const usage = daysOf(period).map((day) => {
    const { attempts, succeeded } = deliveriesOn.get(day) ?? { attempts: 0, succeeded: 0 };
    return {
      day,
      requests: requestsOn.get(day)?.requests ?? 0,
      contacts: contactsOn.get(day)?.contacts ?? null,
      deliveries: { attempts, succeeded, failed: attempts - succeeded },
    };
  });
  return { usage };
}

const byDay = <Row extends { day: string }>(rows: readonly Row[]): Map<string, Row> =>
  new Map(rows.map((row) => [row.day, row]));

interface Period {
  from: string;
  to: string;
}

const dayMs = 86_400_000;
const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, '2026-01-31'.length);

/**
 * The days that are asked for, as far as usage can be there: of those to come, or long ago, it ends before it begins.
 *
 * @throws Fault `invalid`
 */
function periodOf({ from, to }: Input): Period {
  const now = Date.now();
  const last = to === undefined ? now : Date.parse(to);
  const first =
    from === undefined ? last - (usageLimits.daysByDefault - 1) * dayMs : Date.parse(from);
  if (dayOf(first) > dayOf(last))
    throw invalidFields([{ pointer: '/to', message: 'must not be before `from`' }]);
  if (Math.floor(last / dayMs) - Math.floor(first / dayMs) >= usageLimits.days)
    throw invalidFields([
      { pointer: '/from', message: `must be at most ${usageLimits.days - 1} days before \`to\`` },
    ]);
  return {
    from: dayOf(Math.max(first, now - usageLimits.daysKept * dayMs)),
    to: dayOf(Math.min(last, now)),
  };
}

function daysOf({ from, to }: Period): string[] {
  const days: string[] = [];
  for (let ms = Date.parse(from); ms <= Date.parse(to); ms += dayMs) days.push(dayOf(ms));
  return days;
}

const select: Statement = {
  name: 'usage.days',
  text: `
    select day::text, requests::float8 from users.usage_days
    where workspace_id = $1 and day between $2::date and $3::date`,
};
