/** A contact of another service, as it is written to Roster. */
export interface MovedContact {
  email: string;
  name: string;
  tags: string[];
  properties: Record<string, string>;
  status: 'subscribed' | 'unsubscribed';
}

/** What a source makes of an entry. Names and values of properties are made acceptable by `propertiesOf`. */
export interface SourceContact extends Omit<MovedContact, 'properties'> {
  properties: Record<string, unknown>;
}

export const nameOf = (...parts: (string | null | undefined)[]): string =>
  parts.filter(Boolean).join(' ');

const nameCharactersMax = 64;

/** Properties as Roster accepts them: names of letters, digits and `_`, values that are strings, none that is empty. */
export function propertiesOf(given: Record<string, unknown>): Record<string, string> {
  const entries = Object.entries(given)
    .filter(([, value]) => value !== '' && value !== null && value !== undefined)
    .map(([name, value]) => [
      name
        .trim()
        .replaceAll(/[^A-Za-z0-9]+/g, '_')
        .replace(/^(?![A-Za-z])/, 'p')
        .slice(0, nameCharactersMax),
      typeof value === 'string' ? value : JSON.stringify(value),
    ]);
  return Object.fromEntries(entries) as Record<string, string>;
}
