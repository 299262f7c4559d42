import type { CallInputOf, Operations, OutputOf } from '@roster/contracts';
import { openLog } from '@roster/process';
import { eventually } from '@roster/testing';
import type { ExecutionContext } from 'ava';
import { ActionJobs } from '../../actions/action-jobs.js';
import { JobRunner } from '../../jobs/job-runner.js';
import type { ContactsService } from '../../service.js';
import { eventsOf, type RunningContacts, type Workspace } from '../running-contacts.js';

/** A process that does actions. */
export function startRunner(t: ExecutionContext, service: ContactsService): JobRunner {
  const options = { log: openLog('contacts', 'silent'), pollMs: 10 };
  const runner = new JobRunner(service, [new ActionJobs(service)], options);
  t.teardown(() => runner.stop());
  return runner;
}

export const start = async (
  workspace: Workspace,
  input: CallInputOf<Operations['contact-actions.create']>,
) => (await workspace.call('contact-actions.create', input)).action;

export const actionOf = async (workspace: Workspace, actionId: string) =>
  (await workspace.call('contact-actions.get', { actionId })).action;

export async function ended(workspace: Workspace, actionId: string) {
  await eventually(async () => (await actionOf(workspace, actionId)).endedAt !== null);
  return actionOf(workspace, actionId);
}

/** An action, from its creation to its end. */
export const act = async (
  workspace: Workspace,
  input: CallInputOf<Operations['contact-actions.create']>,
) => ended(workspace, (await start(workspace, input)).id);

/** Creates contacts, by few calls, and returns their addresses. */
export async function fill(
  workspace: Workspace,
  count: number,
  of: (n: number) => object = () => ({}),
): Promise<string[]> {
  const emails = Array.from({ length: count }, (_, n) => `${n}@example.com`);
  for (let at = 0; at < count; at += 1000)
    await workspace.call('contacts.batch', {
      operations: emails
        .slice(at, at + 1000)
        .map((email, n) => ({ action: 'create', email, ...of(at + n) })) as never,
    });
  return emails;
}

/** All contacts of a workspace, in the order of their creation. */
export async function contactsOf(workspace: Workspace) {
  const all = [];
  let after: string | null = null;
  do {
    const page: OutputOf<Operations['contacts.list']> = await workspace.call('contacts.list', {
      limit: 100,
      ...(after !== null && { after }),
    });
    all.push(...page.contacts);
    after = page.pagination.next;
  } while (after !== null);
  return all;
}

/** Addresses of the contacts of the events of a kind, in the order of the events. */
export async function announced(running: RunningContacts, workspace: Workspace, kind: string) {
  const events = await eventsOf(running, workspace);
  return events
    .filter((event) => event.kind === kind)
    .map(({ body }) => (JSON.parse(body) as Announced).data.contact.email);
}

interface Announced {
  data: { contact: { email: string } };
}
