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
  return `
Roster runs at ${baseUrl}
The API key of the demo workspace is stored in ${file}

Create a contact, list the contacts, create a webhook:

KEY=${key}
${curl('/v1/contacts', { email: 'ada@example.com', name: 'Ada Lovelace', tags: ['early'] })}
${curl('/v1/contacts')}
${curl('/v1/webhooks', { url: 'http://127.0.0.1:9000/hook', events: ['CONTACT_CREATED'] })}

Ctrl-C stops it.
`;
}
