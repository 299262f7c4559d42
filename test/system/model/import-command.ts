import { emailKey } from '@roster/contracts';
import { eventually } from '@roster/testing';
import fc from 'fast-check';
import type { Contact } from '../client.js';
import type { Command, Model, Real } from './command.js';
import { upsertContact, type Fields } from './contact-writes.js';
import { meaningOf, typeOf } from './property-types.js';
import { email, properties } from './template.js';
import type { WorkspaceClient } from './workspace-client.js';
import type { WorkspaceModel } from './workspace-model.js';
import { byId, expect, type WorkspaceState } from './workspace-state.js';

type Row = Pick<Contact, 'email' | 'properties'>;

/** Properties that have a column in CSV. */
const columns = ['city', 'plan'];

/** Imports rows, and compares all contacts: the answer to an import contains none. */
class ImportContacts implements Command {
  constructor(
    readonly format: 'csv' | 'ndjson',
    readonly rows: Row[],
  ) {}

  check = () => true;

  async run(model: Model, { client, executed }: Real): Promise<void> {
    const { format, rows } = this;
    const { repeatsWrites } = model.workspaces[0]!;
    let ended = await importOnce(client, format, this.#text());
    // A killed process breaks an upload off, which is then to be sent again, and has imported nothing.
    const isBrokenOff = ({ status, done }: Ended) =>
      repeatsWrites && status !== 'completed' && done === 0;
    while (isBrokenOff(ended)) ended = await importOnce(client, format, this.#text());
    const listed = await client.send({
      operation: 'contacts.list',
      user: 0,
      query: { limit: 1000 },
    });
    executed(2);
    const contacts = listed.body['contacts'] as Contact[];
    const problems: string[] = [];
    model.workspaces = model.workspaces.flatMap((workspace) => {
      try {
        return [imported(workspace, { format, rows, ended, contacts })];
      } catch (error) {
        problems.push((error as Error).message);
        return [];
      }
    });
    if (model.workspaces.length === 0) throw new Error(`import: ${problems.join('\n')}`);
  }

  toString = () => `imports.create ${this.format} ${JSON.stringify(this.rows)}`;

  #text(): string {
    const { format, rows } = this;
    if (format === 'ndjson') return rows.map((row) => JSON.stringify(row)).join('\n');
    const cells = rows.map((row) => [row.email, ...columns.map((name) => textIn(row, name))]);
    return [['email', ...columns], ...cells].map((line) => line.join(',')).join('\n');
  }
}

interface Ended extends Counts {
  status: string;
  done: number;
}

type Counts = Record<'created' | 'updated' | 'failed' | 'notices', number>;

interface Import {
  format: 'csv' | 'ndjson';
  rows: readonly Row[];
  /** What the answer says of it. */
  ended: Ended;
  /** All contacts after it. */
  contacts: readonly Contact[];
}

/** The state after an import. @throws Error if the answers are not those that the model expects */
function imported(
  before: WorkspaceModel,
  { format, rows, ended, contacts }: Import,
): WorkspaceModel {
  const model = before.clone();
  const idsBefore = model.ids.contact.length;
  const expected: Counts = { created: 0, updated: 0, failed: 0, notices: 0 };
  for (const row of rows) {
    const { id, createdAt } =
      contacts.find((one) => emailKey(one.email) === emailKey(row.email)) ?? {};
    const outcome = upsertContact(model, fieldsOf(model, format, row), {
      ...{ id, createdAt, idsBefore },
    });
    if ('contact' in outcome) expected[outcome.isNew ? 'created' : 'updated'] += 1;
    else expected.failed += 1;
    if ('notice' in outcome && outcome.notice) expected.notices += 1;
  }
  const { status, created, updated, failed, notices } = ended;
  expect(
    { status: 200, body: { status, created, updated, failed, notices, contacts } },
    {
      status: 200,
      body: {
        ...{ status: 'completed', ...expected },
        contacts: [...model.contacts.values()].toSorted(byId),
      },
    },
  );
  return model;
}

/** The fields of a row. CSV has texts, which are read as values of the types, and leaves empty cells out. */
function fieldsOf(model: WorkspaceState, format: Import['format'], row: Row): Fields {
  if (format === 'ndjson') return row;
  const cells = columns.map((name) => [name, textIn(row, name)] as const);
  const given = cells
    .filter(([, text]) => text !== '')
    .map(([name, text]) => [name, meaningOf(typeOf(model, name), text) ?? text] as const);
  return { email: row.email, properties: Object.fromEntries(given) };
}

const textIn = ({ properties: all }: Row, name: string): string =>
  Object.hasOwn(all, name) ? String(all[name]) : '';

/** Sends a file, and waits for the end of its import. One whose upload was broken off is cancelled. */
async function importOnce(
  client: WorkspaceClient,
  format: Import['format'],
  text: string,
): Promise<Ended> {
  const { status, body } = await client.importFile(format, text);
  if (status !== 202) throw new Error(`not imported: ${status} ${JSON.stringify(body)}`);
  const { id } = body['import'] as { id: string };
  return eventually(
    async () => {
      const answer = await client.send({ operation: 'imports.get', user: 0, id });
      const found = answer.body['import'] as Ended & { endedAt: string | null };
      if (found.status === 'uploading')
        await client.send({ operation: 'imports.cancel', user: 0, id });
      return found.endedAt === null ? undefined : found;
    },
    { timeoutMs: 60_000, describe: 'the end of an import' },
  );
}

const row = fc.record({ email, properties });

export const importCommand: fc.Arbitrary<Command> = fc
  .tuple(fc.constantFrom('csv', 'ndjson'), fc.array(row, { minLength: 1, maxLength: 4 }))
  .map(([format, rows]) => new ImportContacts(format, rows));
