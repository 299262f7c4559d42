import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { eventually } from '@roster/testing';
import test from 'ava';
import { Client, type Answer } from './client.js';
import { patience, startRoster } from './running-roster.js';

const root = fileURLToPath(new URL('../../../', import.meta.url));
/** In the order in which a newcomer meets them. */
const pages = [
  'README.md',
  'gateway/README.md',
  'gateway/guides/retrying.md',
  'gateway/guides/unsubscribe.md',
  'gateway/guides/exports.md',
  'gateway/guides/imports.md',
  'gateway/guides/browser-tokens.md',
  'gateway/graphql/README.md',
];

test('a newcomer can send the requests of npm start, the README, both references, the guides and GraphiQL in order, and none is refused', async (t) => {
  const roster = await startRoster({ t, env: patience });
  t.teardown(() => roster.discard());
  const client = new Client(roster);
  await eventually(() => roster.output().includes('Ctrl-C stops it.'));
  const texts = [
    roster.output(),
    ...(await Promise.all(pages.map((page) => readFile(root + page, 'utf8')))),
  ];
  /** Those of the shell: of the contact, the response before and the webhook. */
  const variables = { ID: '', ETAG: '', WEBHOOK: '' };
  const counts = [];
  for (const text of texts) {
    const requests = requestsIn(text);
    for (const request of requests) await send(request);
    counts.push(requests.length);
  }
  t.deepEqual(counts, [3, 5, 1, 2, 1, 1, 6, 1, 1]);

  const script = await (await fetch(`${roster.baseUrl}/graphql/assets/start.js`)).text();
  const tabs = JSON.parse(/const defaultTabs = (\[.*\]);/.exec(script)![1]!) as Tab[];
  const posted = tabs.filter(({ query }) => !query.startsWith('subscription'));
  for (const { query, variables = '{}' } of posted) {
    const body = JSON.stringify({ query, variables: JSON.parse(variables) as object });
    accepted(await client.post('/graphql', body), '/graphql', body);
  }
  t.is(posted.length, tabs.length - 1);

  async function send({ method, path, body, isConditional, upload }: Request): Promise<void> {
    const headers = {
      ...(isConditional && { 'if-match': variables.ETAG }),
      ...(upload !== undefined && { 'content-type': upload }),
    };
    const answer = await client.send<{
      contact?: { id: string };
      import?: { id: string };
      webhook?: { id: string };
    }>(
      method,
      path.replace('$ID', variables.ID).replace('$WEBHOOK', variables.WEBHOOK),
      body,
      headers,
    );
    accepted(answer, path, body);
    variables.ID = (answer.body.contact ?? answer.body.import)?.id ?? variables.ID;
    variables.WEBHOOK = answer.body.webhook?.id ?? variables.WEBHOOK;
    variables.ETAG = answer.headers.get('etag') ?? variables.ETAG;
  }

  function accepted({ status, body }: Answer<object | string>, path: string, sent?: string) {
    const request = `${path} ${sent ?? ''}: ${JSON.stringify(body)}`;
    t.true([200, 201, 202].includes(status), request);
    t.false(typeof body === 'object' && 'errors' in body, request);
  }
});

interface Tab {
  query: string;
  variables?: string;
}

interface Request {
  method: string;
  path: string;
  body: string | undefined;
  isConditional: boolean;
  /** Media type of a file. */
  upload: string | undefined;
}

/** The contents of contacts.csv in the commands. */
const uploadedFile = 'E-mail,City\nimported@example.com,Paris\n';

/** The requests of the curl commands in a text: by default POST if there is a body, otherwise GET. */
function requestsIn(text: string): Request[] {
  const commands = text.replaceAll('\\\n', ' ').match(/^curl .*$/gm) ?? [];
  return commands.map((command) => {
    const isForm = command.includes('-F file=@contacts.csv');
    const isFile = command.includes('-T contacts.csv');
    const [, type] = /-H 'Content-Type: ([^']+)'/.exec(command) ?? [];
    const body = isForm
      ? `--b\r\nContent-Disposition: form-data; name="file"; filename="contacts.csv"\r\n\r\n${uploadedFile}\r\n--b--\r\n`
      : isFile
        ? uploadedFile
        : /-d '([^']+)'/.exec(command)?.[1];
    return {
      method: /-X (\w+)/.exec(command)?.[1] ?? (body === undefined ? 'GET' : 'POST'),
      path: /https?:\/\/[^/\s]+(\/[^"'\s]*)/.exec(command)![1]!,
      body,
      isConditional: command.includes('"If-Match: $ETAG"'),
      upload: isForm ? 'multipart/form-data; boundary=b' : isFile ? type : undefined,
    };
  });
}
