import {
  Fault,
  importLimits,
  invalidFields,
  pointerTo,
  type FieldError,
  type ImportRow,
} from '@roster/contracts';
import { restoredCell, splitTags } from '../../exports/csv.js';
import { decoded, wrongRow } from './import-row.js';

/** Reads the cells of a row. */
export type ReadCells = (row: number, cells: readonly string[]) => ImportRow;

/** Puts the text of a cell into the fields of a contact. Returns what is wrong with it, if anything is. */
type SetField = (contact: Record<string, unknown>, text: string) => WrongCell | undefined;

interface WrongCell {
  code: 'invalid' | 'malformed';
  pointer: string;
  message: string;
}

const setProperty =
  (name: string): SetField =>
  (contact, text) => {
    ((contact['properties'] ??= {}) as Record<string, string>)[name] = text;
    return undefined;
  };

const setText =
  (field: string): SetField =>
  (contact, text) => {
    contact[field] = text;
    return undefined;
  };

/** For fields that can neither begin nor end with a space. One of spaces is empty. */
const setTrimmed =
  (field: string): SetField =>
  (contact, text) => {
    const trimmed = text.trim();
    if (trimmed !== '') contact[field] = trimmed;
    return undefined;
  };

const setTags =
  (field: string): SetField =>
  (contact, text) => {
    const tags = splitTags(text);
    if (tags === undefined)
      return {
        code: 'malformed',
        pointer: `/${field}`,
        message:
          'has a tag with a quote that does not end it: quote the tag, and write each quote in it as two',
      };
    contact[field] = tags;
    return undefined;
  };

/** What files write into a column that says who is unsubscribed. */
const statuses: Readonly<Record<string, string>> = {
  true: 'unsubscribed',
  yes: 'unsubscribed',
  1: 'unsubscribed',
  unsubscribed: 'unsubscribed',
  false: 'subscribed',
  no: 'subscribed',
  0: 'subscribed',
  subscribed: 'subscribed',
};

const setUnsubscribed: SetField = (contact, text) => {
  const word = text.trim().toLowerCase();
  if (word === '') return undefined;
  if (!Object.hasOwn(statuses, word))
    return {
      code: 'invalid',
      pointer: '/status',
      message: 'must be true or false, yes or no, 1 or 0, unsubscribed or subscribed',
    };
  contact['status'] = statuses[word];
  return undefined;
};

/** Columns of the errors of an import, which are ignored when its corrected rows are imported. Names of properties contain no dot. */
export const errorColumns = [
  'error.row',
  'error.pointer',
  'error.code',
  'error.message',
  'error.text',
] as const;

export const isErrorColumn = (name: string): boolean =>
  (errorColumns as readonly string[]).includes(name.toLowerCase());

/** By the names of columns in lower case. Those that the system assigns are ignored, so that an exported file can be imported. */
const fields: Readonly<Record<string, SetField | null>> = {
  email: setTrimmed('email'),
  name: setText('name'),
  status: setTrimmed('status'),
  externalid: setTrimmed('externalId'),
  tags: setTags('tags'),
  addtags: setTags('addTags'),
  removetags: setTags('removeTags'),
  id: null,
  createdat: null,
  updatedat: null,
  version: null,
  ...Object.fromEntries(errorColumns.map((name) => [name, null])),
};

/** Names of fields that are not in lower case. */
const spellings: Readonly<Record<string, string>> = {
  addtags: 'addTags',
  externalid: 'externalId',
  removetags: 'removeTags',
};

const propertyPrefix = 'properties.';
const propertyName = /^[A-Za-z][A-Za-z0-9_]{0,63}$/;
/** Maximum number of columns that errors name. */
const errorsMax = 20;

export interface Column {
  name: string;
  /** As `map` names it. Null for a column that is not imported. */
  field: string | null;
  set: SetField | null;
  /** Why the file is refused. */
  problem: string | null;
}

/**
 * Reads rows of a file with these columns. An empty cell leaves its field as it is.
 *
 * @param map fields of columns; the empty field omits the column
 *
 * @throws Fault `invalid` that names the columns that cannot be imported
 */
export function columnReader(
  header: readonly string[],
  map: Readonly<Record<string, string>>,
): ReadCells {
  const { columns, errors } = columnsOf(header, map);
  if (errors.length > 0) throw refusedColumns(errors);
  return cellReader(columns);
}

export const refusedColumns = (errors: FieldError[]): Fault => invalidFields(errors, errorsMax);

/** Reads rows of a file with these columns. Those with a problem are not read. */
export function cellReader(columns: readonly Column[]): ReadCells {
  return (row, found) => {
    const cells = withoutEmptyEnd(found, columns.length);
    if (cells.length !== columns.length)
      return wrongRow(row, 'malformed', `has ${cells.length} cells instead of ${columns.length}`);
    const contact: Record<string, unknown> = {};
    for (const [index, { name, set }] of columns.entries()) {
      const cell = cells[index]!;
      if (set === null || cell === '') continue;
      const text = decoded(cell);
      if (text === undefined)
        return wrongRow(row, 'malformed', `is not valid UTF-8 in the column ${name}`);
      const wrong = set(contact, restoredCell(text));
      if (wrong) return wrongRow(row, wrong.code, wrong.message, wrong.pointer);
    }
    return { row, contact };
  };
}

/** Spreadsheets write empty cells for columns that once had content. */
export function withoutEmptyEnd(cells: readonly string[], lengthMin: number): readonly string[] {
  let { length } = cells;
  while (length > lengthMin && cells[length - 1]!.trim() === '') length -= 1;
  return length === cells.length ? cells : cells.slice(0, length);
}

const isField = (key: string): boolean => key === 'unsubscribed' || Object.hasOwn(fields, key);

/** How likely this is the name of a column: 2 for one of `map` or of a field, 1 for one that can be a property. */
export function columnFit(name: string, map: Readonly<Record<string, string>>): number {
  if (Object.hasOwn(map, name) || isField(name.toLowerCase())) return 2;
  return targetOf(name) ? 1 : 0;
}

/**
 * The columns of a file, and the errors with which it is refused.
 *
 * @throws Fault `invalid` for too many columns
 */
export function columnsOf(
  header: readonly string[],
  map: Readonly<Record<string, string>>,
): { columns: Column[]; errors: FieldError[] } {
  if (header.length > importLimits.columns)
    throw new Fault('invalid', `The file has more than ${importLimits.columns} columns.`);
  const errors: FieldError[] = [];
  const names = new Set(header);
  for (const name of Object.keys(map))
    if (!names.has(name))
      errors.push({ pointer: pointerTo(['map', name]), message: 'is not a column of the file' });
  const targets = new Set<string>();
  const columns = header.map((name): Column => {
    const field = Object.hasOwn(map, name) ? map[name]! : name;
    const target = targetOf(field);
    let problem: string | null = null;
    const wrong = (message: string) => {
      problem ??= message;
      errors.push({ pointer: pointerTo(['map', name]), message });
    };
    if (field === '' && Object.hasOwn(map, name)) return { name, field: null, set: null, problem };
    if (field !== name && isErrorColumn(name))
      wrong('is a column of errors.csv, which is not imported: give the column another name');
    if (target === undefined) wrong(noField(name, field));
    else if (target.set !== null && targets.has(target.key))
      wrong(`is the second column of the field ${target.key}`);
    if (target) targets.add(target.key);
    if (problem !== null || !target?.set) return { name, field: null, set: null, problem };
    return { name, field: fieldOf(target.key, field), set: target.set, problem };
  });
  if (errors.length === 0 && !targets.has('email') && !targets.has('externalId'))
    errors.push({
      pointer: pointerTo(['map']),
      message:
        'must name the column of the email addresses, as map=Column:email, or that of the external IDs of existing contacts, as map=Column:externalId: the file has neither a column email nor externalId',
    });
  return { columns, errors };
}

/** The two columns of the status have different values. */
const fieldOf = (key: string, named: string): string =>
  key === 'status' ? named.toLowerCase() : key;

const noField = (name: string, field: string): string =>
  `must be a field, a property or empty: ${JSON.stringify(field.slice(0, 64))} is neither${
    name === field ? ', and a column that is not imported is mapped to nothing' : ''
  }`;

/** The field that a column or `map` names. Names of properties distinguish cases, those of fields do not. */
function targetOf(field: string): { key: string; set: SetField | null } | undefined {
  const key = field.toLowerCase();
  // The same field: a file has one of the columns.
  if (key === 'unsubscribed') return { key: 'status', set: setUnsubscribed };
  if (Object.hasOwn(fields, key)) return { key: spellings[key] ?? key, set: fields[key]! };
  const property = field.startsWith(propertyPrefix) ? field.slice(propertyPrefix.length) : field;
  if (!propertyName.test(property)) return undefined;
  return { key: propertyPrefix + property, set: setProperty(property) };
}
