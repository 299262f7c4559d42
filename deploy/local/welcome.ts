import type { Demo } from './demo.js';

/** What the text says of the API key. */
export interface KeyNotice {
  /** Whether this start created the key. */
  isNew: boolean;
  /** The file that contains it. */
  file: string;
}

/** The text that `npm start` prints when all processes are ready. It contains the API key only once. */
export function welcome({ baseUrl, apiKey }: Demo, { isNew, file }: KeyNotice): string {
  const curl = (path: string, body?: unknown) =>
    [
      `curl -s ${baseUrl}${path} -H "Authorization: Bearer $KEY"`,
      ...(body ? [`-H 'Content-Type: application/json' -d '${JSON.stringify(body)}'`] : []),
    ].join(' ');
  const key = isNew ? apiKey : `$(node -p 'require(process.argv[1]).apiKey' '${file}')`;
  // At a later start the contact exists, and creating it again would be refused.
  const create = { email: 'ada@example.com', name: 'Ada Lovelace', tags: ['early'] };
  const query = { query: '{ contacts(first: 10) { totalCount nodes { email } } }' };
  return `
Roster runs at ${baseUrl}
The API key of the demo workspace is stored in ${file}

${isNew ? 'Create a contact, and list' : 'List'} the contacts over REST and GraphQL:

KEY=${key}
${isNew ? `${curl('/v1/contacts', create)}\n` : ''}${curl('/v1/contacts')}
${curl('/graphql', query)}

README.md continues with a webhook. Ctrl-C stops it.
`;
}
