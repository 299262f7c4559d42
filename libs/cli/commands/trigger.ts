import { randomBytes } from 'node:crypto';

import { Argument, Command } from '@commander-js/extra-typings';
import { RosterError, type EventKind, type EventListed, type Roster } from '@roster/client';

import type { Run } from '../context.js';
import { CommandFailure, UsageError } from '../failure.js';
import { printable } from '../output.js';
import { withExamples } from './examples.js';
import { collectPairs, kind, separate } from './values.js';

export const trigger = (run: Run) =>
  withExamples(
    new Command('trigger')
      .description(
        'Make a real change, so that an event is published and delivered: to a contact that is created for it and deleted afterwards. Prints the event.',
      )
      .addArgument(new Argument('<kind>', `event kind: ${triggered.join(', ')}`).argParser(kind))
      .option(
        '--set <path=value>',
        'field of the contact or user: email, name, tags (separated by commas), properties.NAME; can be repeated',
        collectPairs,
      )
      .action(
        run(async ({ roster, output, signal }, kind, { set = {} }) => {
          const change = changes[kind];
          if (!change)
            throw new UsageError(
              `No change causes ${kind} at once. A webhook can receive a test of it: roster webhooks test wh_… --kind ${kind}`,
            );
          const after = await endOfLog(roster, signal);
          const { happened, subjectId, cleanUp } = await change(roster, set, signal);
          let remains: string[];
          let event: EventListed;
          try {
            await happened();
            event = await publishedEvent(roster, { kind, subjectId: subjectId(), after, signal });
          } finally {
            remains = await cleanUp();
            for (const what of remains) output.note(`What remains: ${printable(what)}.`);
          }
          const { id, createdAt } = event;
          await output.done(`${printable(id)}  ${kind}`, { id, kind, createdAt, remains });
        }),
      ),
    'roster trigger CONTACT_CREATED',
    'roster trigger CONTACT_UPDATED --set properties.city=Paris --set name=Ada',
    'roster trigger IMPORT_ENDED',
    'roster trigger ACTION_ENDED',
  );

interface Change {
  /** Makes the change. */
  happened(): Promise<unknown>;
  /** ID of the subject of the event, known after the change. */
  subjectId(): string;
  /** Removes what was created. Returns what remains. */
  cleanUp(): Promise<string[]>;
}
type MakeChange = (
  roster: Roster,
  set: Record<string, string>,
  signal: AbortSignal,
) => Promise<Change>;

/** A change of a new contact. Its fields are those that are set, or are set by the change. */
const ofContact =
  (
    change: (roster: Roster, id: string, fields: ContactFields) => Promise<unknown>,
    { isUpdated = false } = {},
  ): MakeChange =>
  async (roster, set, signal) => {
    const fields = contactFields(set);
    const created = { ...sandbox(), ...(!isUpdated && fields) };
    const { id } = await roster.contacts.create(created, { signal });
    return {
      happened: () => change(roster, id, fields),
      subjectId: () => id,
      async cleanUp() {
        await roster.contacts.delete(id).catch(ignoreMissing);
        return definitions(fields);
      },
    };
  };

function ignoreMissing(error: unknown): void {
  if (!(error instanceof RosterError && error.is('not_found'))) throw error;
}

const changes: Partial<Record<EventKind, MakeChange>> = {
  async CONTACT_CREATED(roster, set, signal) {
    const fields = contactFields(set);
    const created = { ...sandbox(), ...fields };
    let id: string | undefined;
    return {
      happened: async () => ({ id } = await roster.contacts.create(created, { signal })),
      subjectId: () => id!,
      async cleanUp() {
        if (id !== undefined) await roster.contacts.delete(id);
        return definitions(fields);
      },
    };
  },
  CONTACT_UPDATED: ofContact(
    (roster, id, fields) =>
      roster.contacts.update(id, { name: 'Changed by roster trigger', ...fields }),
    { isUpdated: true },
  ),
  CONTACT_UNSUBSCRIBED: ofContact((roster, id) => roster.contacts.unsubscribe(id)),
  CONTACT_RESUBSCRIBED: ofContact(async (roster, id) => {
    await roster.contacts.unsubscribe(id);
    await roster.contacts.resubscribe(id);
  }),
  CONTACT_DELETED: ofContact((roster, id) => roster.contacts.delete(id)),
  async WORKSPACE_TEAM_MEMBER_JOINED(roster, set, signal) {
    const { email, name, ...others } = { ...sandbox(), ...set };
    refuseOthers(others, 'email and name');
    let id: string | undefined;
    return {
      happened: async () => ({ id } = await roster.users.create({ email, name }, { signal })),
      subjectId: () => id!,
      async cleanUp() {
        if (id !== undefined) await roster.users.delete(id);
        return [];
      },
    };
  },
  async IMPORT_ENDED(roster, set, signal) {
    refuseOthers(set, 'nothing');
    const { email } = sandbox();
    let id: string | undefined;
    return {
      async happened() {
        const file = roster.imports.create(
          `email\n${email}\n`,
          { format: 'csv', events: 'summary' },
          { signal },
        );
        ({ id } = await file);
      },
      subjectId: () => id!,
      async cleanUp() {
        const { contacts } = await roster.contacts.list({ email });
        for (const contact of contacts) await roster.contacts.delete(contact.id);
        return id === undefined ? [] : [`the import ${id}, with its counts`];
      },
    };
  },
  async ACTION_ENDED(roster, set, signal) {
    refuseOthers(set, 'nothing');
    const contact = await roster.contacts.create(sandbox(), { signal });
    let id: string | undefined;
    return {
      async happened() {
        const input = { filter: {}, contactIds: [contact.id], change: { addTags: ['sandbox'] } };
        ({ id } = await roster.contactActions.create(input, { signal }));
      },
      subjectId: () => id!,
      async cleanUp() {
        await roster.contacts.delete(contact.id);
        return id === undefined ? [] : [`the action ${id}, with its counts`];
      },
    };
  },
  async WEBHOOK_DISABLED(roster, set, signal) {
    refuseOthers(set, 'nothing');
    // It receives no event about itself.
    const { id } = await roster.webhooks.create(
      { url: 'https://sandbox.invalid/', events: ['WEBHOOK_DISABLED'] },
      { signal },
    );
    return {
      happened: () => roster.webhooks.disable(id),
      subjectId: () => id,
      async cleanUp() {
        await roster.webhooks.delete(id);
        return [];
      },
    };
  },
};
const triggered = Object.keys(changes);

const sandbox = () => ({
  email: `sandbox-${randomBytes(6).toString('hex')}@example.com`,
  name: 'Sandbox',
});

interface ContactFields {
  email?: string;
  name?: string;
  tags?: string[];
  properties?: Record<string, string>;
}

/** Contact properties are defined by their first use. */
const definitions = ({ properties = {} }: ContactFields): string[] =>
  Object.keys(properties).map(
    (name) => `the definition of the property ${name}, unless it existed`,
  );

function contactFields(set: Record<string, string>): ContactFields {
  const fields: ContactFields = {};
  const properties: Record<string, string> = {};
  for (const [path, value] of Object.entries(set)) {
    const [, property] = /^properties\.(.+)$/.exec(path) ?? [];
    if (property !== undefined) properties[property] = value;
    else if (path === 'tags') fields.tags = separate(value);
    else if (path === 'email' || path === 'name') fields[path] = value;
    else refuseOthers({ [path]: value }, 'email, name, tags and properties.NAME');
  }
  return { ...fields, ...(Object.keys(properties).length > 0 && { properties }) };
}

function refuseOthers(others: object, settable: string): void {
  const [path] = Object.keys(others);
  if (path !== undefined)
    throw new UsageError(`--set ${path}: this event kind has ${settable} to set.`);
}

/** Before all events that are published from now on. Undefined if there is none yet. */
async function endOfLog(roster: Roster, signal: AbortSignal): Promise<string | undefined> {
  const query = { limit: 1, since: '9999-12-31T23:59:59.999Z' };
  return (await roster.eventLog.list(query, { signal })).pagination.next ?? undefined;
}

const publishedWithinMs = 30_000;

async function publishedEvent(
  roster: Roster,
  {
    kind,
    subjectId,
    after,
    signal,
  }: { kind: EventKind; subjectId: string; after: string | undefined; signal: AbortSignal },
): Promise<EventListed> {
  const late = AbortSignal.timeout(publishedWithinMs);
  const start = after === undefined ? { since: new Date(0) } : { after };
  const events = roster.events({
    ...start,
    kinds: [kind],
    signal: AbortSignal.any([signal, late]),
    intervalMs: 250,
  });
  try {
    for await (const event of events)
      if (Object.values(event.data).some((of) => (of as { id?: string }).id === subjectId))
        return event;
  } catch (error) {
    if (!late.aborted) throw error;
  }
  throw new CommandFailure(
    `The change was made, but its event is not in the log after ${publishedWithinMs / 1000} s.`,
  );
}
