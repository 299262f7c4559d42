import type { Demo } from './demo.js';

/** The text that `npm start` prints when all processes are ready. */
export function welcome({ baseUrl, apiKey }: Demo): string {
  const curl = (path: string, body?: unknown) =>
    [
      `curl -s ${baseUrl}${path} -H 'Authorization: Bearer ${apiKey}'`,
      ...(body ? [`-H 'Content-Type: application/json' -d '${JSON.stringify(body)}'`] : []),
    ].join(' ');
  return `
Roster runs at ${baseUrl}
API key of the demo workspace: ${apiKey}

Create a contact, list the contacts, create a webhook:

${curl('/v1/contacts', { email: 'ada@example.com', name: 'Ada Lovelace', tags: ['early'] })}
${curl('/v1/contacts')}
${curl('/v1/webhooks', { url: 'http://127.0.0.1:9000/hook', events: ['CONTACT_CREATED'] })}

Ctrl-C stops it.
`;
}
