import type { PropertyValue } from '@roster/contracts';

/** A contact as results contain it. */
export interface ExportedContact {
  id: string;
  email: string;
  name: string;
  status: string;
  tags: string[];
  properties: Record<string, PropertyValue>;
  createdAt: string;
  updatedAt: string;
  version: number;
  /** Processes of 0.2.0 do not return it. */
  externalId?: string | null;
}

const columns = [
  'id',
  'email',
  'name',
  'status',
  'tags',
  'createdAt',
  'updatedAt',
  'version',
  'externalId',
] as const;
const lineEnd = '\r\n';

/** @param properties names of the properties that have a column */
export const csvHeader = (properties: readonly string[]): string =>
  [...columns, ...properties.map(columnOf)].join(',') + lineEnd;

/** A property with the name of another column, or of one that imports read as the status, gets a prefix, which names of properties cannot contain. */
const columnOf = (property: string): string =>
  [...columns, 'unsubscribed'].some((column) => column.toLowerCase() === property.toLowerCase())
    ? `properties.${property}`
    : property;

/**
 * Writes the row of a contact (RFC 4180). Its time depends on the properties of the contact: a workspace can have a thousand columns,
 * most of them empty.
 */
export function csvRows(properties: readonly string[]): (contact: ExportedContact) => string {
  const positions = new Map(properties.map((name, position) => [name, position]));
  return (contact) => {
    const { id, createdAt, updatedAt, version } = contact;
    const texts = [contact.email, contact.name, contact.status, joinedTags(contact.tags)];
    let row = id;
    for (const text of texts) row += `,${csvCell(text)}`;
    row += `,${createdAt},${updatedAt},${version},${csvCell(contact.externalId ?? '')}`;
    const cells = Object.keys(contact.properties)
      .flatMap((name) => {
        const position = positions.get(name);
        return position === undefined ? [] : { name, position };
      })
      .toSorted((a, b) => a.position - b.position);
    let written = 0;
    for (const { name, position } of cells) {
      row += ','.repeat(position + 1 - written) + valueCell(contact.properties[name]!);
      written = position + 1;
    }
    return row + ','.repeat(properties.length - written) + lineEnd;
  };
}

/**
 * Spreadsheets execute cells that begin like a formula. Such a cell gets a leading apostrophe, and so does one that would look like
 * it has one: removing an apostrophe before these characters restores every cell. https://owasp.org/www-community/attacks/CSV_Injection
 */
const formula = /^'*[=+\-@\t\r\n]/;
const escaped = /^'+[=+\-@\t\r\n]/;
/** Also what some spreadsheets take for separators: a cell after one of them could begin like a formula. */
const separated = /[",;|\t\r\n]/;

export function csvCell(text: string): string {
  const cell = formula.test(text) ? `'${text}` : text;
  return separated.test(cell) ? quoted(cell) : cell;
}

/** A number is no formula, even if it is negative. */
const valueCell = (value: PropertyValue): string =>
  typeof value === 'string' ? csvCell(value) : String(value);

const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`;

/** The text of a cell that `csvCell` wrote, without the quotes of CSV. */
export const restoredCell = (cell: string): string => (escaped.test(cell) ? cell.slice(1) : cell);

/** A tag that could not be told apart in a list: with the separator, a quote, or spaces at its ends. */
const quotedTag = /[";]|^\s|\s$/;

/** Tags in one cell. Those that need it are quoted as cells are. */
const joinedTags = (tags: readonly string[]): string =>
  tags.map((tag) => (quotedTag.test(tag) ? quoted(tag) : tag)).join(';');

/** A tag of a cell and its separator. Quoted tags contain separators. */
const listed = /(\s*"[^"]*(?:""[^"]*)*"[^;]*|[^;]*)(?:;|$)/g;
const quotedWhole = /^"([^"]*(?:""[^"]*)*)"$/;

/** The tags of a cell, without spaces around them. Undefined if one begins with a quote that does not end it. */
export function splitTags(text: string): string[] | undefined {
  const tags: string[] = [];
  for (const [, part] of text.matchAll(listed)) {
    const tag = part!.trim();
    if (tag.startsWith('"')) {
      const [, within] = quotedWhole.exec(tag) ?? [];
      if (within === undefined) return undefined;
      tags.push(within.replaceAll('""', '"'));
    } else if (tag !== '') tags.push(tag);
  }
  return tags;
}
