import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parse } from 'csv-parse/sync';

export interface CsvContact {
  email: string;
  name: string;
  tags: string[];
  properties: Record<string, string>;
}

/** The 1,000 contacts of `fixtures/contacts.csv`, as a client would send them. */
export function contactsFromCsv(): CsvContact[] {
  const file = fileURLToPath(new URL('../../fixtures/contacts.csv', import.meta.url));
  const rows = parse<Record<string, string>>(readFileSync(file), { columns: true });
  return rows.map(({ email = '', name = '', tags = '', ...properties }) => ({
    email,
    name,
    tags: tags === '' ? [] : tags.split(/(?<!\\);/).map((tag) => tag.replaceAll('\\;', ';')),
    properties: Object.fromEntries(Object.entries(properties).filter(([, value]) => value !== '')),
  }));
}
