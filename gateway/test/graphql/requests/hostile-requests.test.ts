import { openLog } from '@roster/process';
import test, { type ExecutionContext } from 'ava';
import { once } from 'node:events';
import { inspect } from 'node:util';
import { errorsMax } from '../../../graphql/document/limits.js';
import { gatewayFor, testGateway, type TestGateway } from '../../test-gateway.js';
import { codesOf, executeGraphql, type GraphqlError } from '../execute-graphql.js';
import { openWebSocket } from '../subscriptions/transports.js';

/** In every hostile request, in the place of a value. */
const secret = 'wht_5ecretT0ken';
const logged: string[] = [];
const log = openLog('gateway', 'trace', { write: (line) => void logged.push(line) });

let gateway: TestGateway;
test.before(async () => void (gateway = await testGateway({}, { log })));
test.after.always(() => gateway.close());

const entries = <Value>(count: number, value: Value, name = 'f'): Record<string, Value> =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [`${name}${n}`, value]));
const many = (count: number, one: (n: number) => string): string =>
  Array.from({ length: count }, (_, n) => one(n)).join(' ');
const nested = (levels: number): unknown =>
  JSON.parse(`${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`);

const create =
  'mutation ($input: CreateContactInput!) { createContact(input: $input) { contact { id } } }';
const webhook =
  'mutation ($input: CreateWebhookInput!) { createWebhook(input: $input) { webhook { id } } }';
const createBatch =
  'mutation ($input: BatchContactsInput!) { batchContacts(input: $input) { results } }';

/** Bodies of requests, with the code of their refusal. */
const hostile: Record<string, [body: unknown, code: string]> = {
  '90,000 unknown fields of a variable': [
    { query: create, variables: { input: { email: secret, ...entries(90_000, 1) } } },
    'payload_too_large',
  ],
  'unknown fields of a variable within the limits': [
    { query: create, variables: { input: { email: secret, ...entries(990, secret) } } },
    'BAD_USER_INPUT',
  ],
  'long unknown fields of a variable': [
    { query: create, variables: { input: { email: secret, ['x'.repeat(60_000)]: secret } } },
    'BAD_USER_INPUT',
  ],
  'unknown fields of a variable with the words of messages': [
    {
      query: create,
      variables: {
        input: Object.fromEntries(
          [' cannot represent ', 'Value "', ' Int "', ', found ', ' has invalid value'].map(
            (words) => [words.repeat(10_000 / words.length), secret],
          ),
        ),
      },
    },
    'BAD_USER_INPUT',
  ],
  'entries of a wrong type in a variable': [
    {
      query: webhook,
      variables: { input: { url: 5, token: secret, events: Array(900).fill(secret) } },
    },
    'BAD_USER_INPUT',
  ],
  'objects as entries of a variable': [
    {
      query: webhook,
      variables: {
        input: {
          url: [secret],
          token: { secret },
          events: Array.from({ length: 400 }, () => ({ secret })),
        },
      },
    },
    'BAD_USER_INPUT',
  ],
  'a scalar in place of an object': [
    { query: create, variables: { input: { email: 'a@b.cd', properties: secret } } },
    'BAD_USER_INPUT',
  ],
  'more values than variables can have': [
    {
      query: createBatch,
      variables: { input: { operations: Array.from({ length: 1000 }, () => ({ secret })) } },
    },
    'variables_too_large',
  ],
  'more bytes than variables can have': [
    { query: create, variables: { input: { email: secret.repeat(5000) } } },
    'variables_too_large',
  ],
  'more levels than a body can have': [
    { query: create, variables: { input: { properties: nested(20) } } },
    'invalid_json',
  ],
  'a null variable of an argument that requires a value': [
    {
      query: `query ($k: EventKind = CONTACT_CREATED) { eventLog(first: 1, kinds: [CONTACT_UPDATED, $k]) { nodes { id } } contact(id: "${secret}") { id } }`,
      variables: { k: null },
    },
    'BAD_USER_INPUT',
  ],
  'a null variable of a directive': [
    {
      query: 'query ($if: Boolean = true) { me @include(if: $if) { id } }',
      variables: { if: null },
    },
    'BAD_USER_INPUT',
  ],
  'variables that the document does not declare': [
    { query: 'query { nothing }', variables: entries(999, secret) },
    'GRAPHQL_VALIDATION_FAILED',
  ],
  'values of a wrong type in a document': [
    {
      query: `mutation { ${many(100, (n) => `a${n}: createWebhook(input: { url: {a: "${secret}"}, token: ["${secret}", {a: "${secret}"}], events: ["${secret}"] }) { webhook { id } }`)} }`,
    },
    'query_too_long',
  ],
  'values of a wrong type within the limits': [
    {
      query: `mutation { ${many(40, (n) => `a${n}: createWebhook(input: { url: {a: "${secret}"}, token: [${secret}], events: ["${secret}"], x: 1 }) { webhook { id } }`)} }`,
    },
    'GRAPHQL_VALIDATION_FAILED',
  ],
  'unknown fields in a document': [
    { query: `{ ${many(700, (n) => `f${n}x`)} }` },
    'GRAPHQL_VALIDATION_FAILED',
  ],
  'long unknown fields in a document': [
    { query: `{ ${many(10, (n) => `${'x'.repeat(3000)}${n}`)} }` },
    'GRAPHQL_VALIDATION_FAILED',
  ],
  'a value in the wrong place of a document': [
    { query: `{ me { "${secret}" } }` },
    'GRAPHQL_PARSE_FAILED',
  ],
  'a block string in the wrong place of a document': [
    { query: `{ me """${secret}""" }` },
    'GRAPHQL_PARSE_FAILED',
  ],
  'a document that is too long': [
    { query: `{ me { id } } #${secret.repeat(6000)}` },
    'query_too_long',
  ],
  'a document of lines': [
    { query: `${'\n'.repeat(30_000)}{ ${many(300, (n) => `f${n}`)} }` },
    'query_too_long',
  ],
  'directives in a document': [
    { query: `{ me { id ${many(900, () => '@nothing')} } }` },
    'GRAPHQL_VALIDATION_FAILED',
  ],
  'operations with many variables': [
    {
      query: many(80, (n) => `query Q${n}($a: Int = 1) { contacts(first: $a) { none } }`),
      operationName: 'Q0',
      variables: entries(999, 1),
    },
    'GRAPHQL_VALIDATION_FAILED',
  ],
  'fragments that repeat long names': [
    {
      query: `{ ${many(20, (n) => `${'l'.repeat(1400)}${n} { ...F }`)} } fragment F on User { ${many(800, (n) => `f${n}`)} }`,
    },
    'query_too_costly',
  ],
  'an unknown name of an operation': [
    { query: 'query A { me { id } }', operationName: 'x'.repeat(50_000) },
    'OPERATION_RESOLUTION_FAILURE',
  ],
  extensions: [
    {
      query: '{ me { id } }',
      extensions: { persistedQuery: { version: 1, sha256Hash: nested(10) }, ...entries(4000, 1) },
    },
    'BAD_REQUEST',
  ],
  'a batch of large documents': [
    Array.from({ length: 10 }, () => ({ query: `{ ${many(600, (n) => `f${n}`)} }` })),
    'GRAPHQL_VALIDATION_FAILED',
  ],
  'a batch with large variables': [
    Array.from({ length: 10 }, () => ({
      query: create,
      variables: { input: entries(400, secret) },
    })),
    'BAD_USER_INPUT',
  ],
  'a batch with more values than a body can have': [
    Array.from({ length: 10 }, () => ({
      query: create,
      variables: { input: entries(600, secret) },
    })),
    'payload_too_large',
  ],
};

/** Requests of a measurement. */
const batch = 5;

interface Answer {
  errors?: GraphqlError[];
}

for (const [name, [body, code]] of Object.entries(hostile)) {
  test.serial(`refuses ${name} with ${code}, without a value of the request`, async (t) => {
    logged.length = 0;
    const response = await gateway.post('/graphql', body);
    const text = await response.text();
    const parsed = JSON.parse(text) as Answer | Answer[];
    const answers = Array.isArray(parsed) ? parsed : [parsed];
    t.is(answers[0]!.errors?.[0]?.extensions.code, code, text.slice(0, 1000));
    for (const { errors = [] } of answers) {
      t.true(errors.length <= errorsMax, `${errors.length} errors`);
      for (const { message } of errors) t.true(message.length <= 501, message);
    }
    t.false(text.includes(secret), text.slice(0, 2000));
    t.true(text.length < 10_000 * answers.length, `${text.length} bytes`);
    t.false(
      logged.some((line) => line.includes(secret)),
      logged.join('\n').slice(0, 2000),
    );
    t.false(
      logged.some((line) => line.includes('unexpected')),
      logged.join('\n').slice(0, 2000),
    );
  });

  // Processor time of this thread, which includes that of the client and is counted in units of milliseconds.
  test.serial(`refuses ${name} within 20 ms`, async (t) => {
    const text = JSON.stringify(body);
    let least = Infinity;
    for (let run = 0; run < 5; run += 1) {
      const before = process.threadCpuUsage();
      for (let n = 0; n < batch; n += 1) await (await gateway.post('/graphql', text)).text();
      const { user, system } = process.threadCpuUsage(before);
      least = Math.min(least, (user + system) / 1000 / batch);
    }
    t.log(`${least.toFixed(1)} ms`);
    t.true(least <= 20, `${least} ms`);
  });
}

const subscription =
  'subscription ($kinds: [EventKind!], $after: ID) { events(kinds: $kinds, after: $after) { id } }';

/** Variables of a subscription, with the code of its refusal. */
const hostileSubscriptions: [variables: object, code: string][] = [
  [{ kinds: Array(900).fill(secret) }, 'BAD_USER_INPUT'],
  [{ kinds: [null, secret], after: { secret } }, 'BAD_USER_INPUT'],
  [{ kinds: Array(1001).fill(secret) }, 'variables_too_large'],
];

for (const [variables, code] of hostileSubscriptions) {
  const request = { query: subscription, variables };
  const shown = inspect(variables, { breakLength: Infinity, maxArrayLength: 2 });
  const check = (t: ExecutionContext, errors: readonly GraphqlError[], text: string) => {
    t.is(errors[0]!.extensions.code, code, text.slice(0, 500));
    t.true(errors.length <= errorsMax);
    t.false(text.includes(secret), text.slice(0, 500));
    t.deepEqual(
      logged.filter((line) => /unexpected/.test(line) || line.includes(secret)),
      [],
    );
  };

  test.serial(`SSE: refuses the variables ${shown} with ${code}`, async (t) => {
    logged.length = 0;
    const response = await gateway.post('/graphql', request, { accept: 'text/event-stream' });
    const text = await response.text();
    check(
      t,
      (JSON.parse(/^data: (?<data>.+)$/m.exec(text)!.groups!['data']!) as Answer).errors!,
      text,
    );
  });

  test.serial(`WebSocket: refuses the variables ${shown} with ${code}`, async (t) => {
    logged.length = 0;
    const { apiKey } = gateway.stubs.makeKey();
    const socket = openWebSocket(t, gateway.url);
    await once(socket, 'open');
    const payload = { authorization: `Bearer ${apiKey}` };
    socket.send(JSON.stringify({ type: 'connection_init', payload }));
    await once(socket, 'message');
    socket.send(JSON.stringify({ id: '1', type: 'subscribe', payload: request }));
    const [message] = (await once(socket, 'message')) as [Buffer];
    const { type, payload: errors } = JSON.parse(String(message)) as {
      type: string;
      payload: GraphqlError[];
    };
    t.is(type, 'error');
    check(t, errors, String(message));
  });
}

test.serial(
  'GET: refuses more values than variables can have with variables_too_large',
  async (t) => {
    const variables = JSON.stringify({ input: Array(1001).fill(1) });
    const search = new URLSearchParams({ query: '{ me { id } }', variables });
    const response = await gateway.send(`/graphql?${search.toString()}`);
    t.deepEqual(codesOf((await response.json()) as Answer), ['variables_too_large']);
  },
);

test.serial('lists ten errors of failed fields, and the number of the others', async (t) => {
  const { apiKey } = gateway.stubs.makeKey({ scopes: [] });
  const query = `{ ${many(50, (n) => `c${n}: contact(id: "x") { id }`)} }`;
  const headers = { authorization: `Bearer ${apiKey}` };
  const response = await executeGraphql(gateway, query, {}, headers);
  t.deepEqual(codesOf(response), Array(errorsMax).fill('insufficient_scope'));
  t.is(
    (JSON.parse(response.text) as { extensions: { errorsOmitted: number } }).extensions
      .errorsOmitted,
    40,
  );
});

test.serial(
  'discloses no names of the schema in errors of variables, unless introspection is enabled',
  async (t) => {
    const variables = { input: { emial: 'a@b.cd' } };
    t.regex((await executeGraphql(gateway, create, variables)).text, /Did you mean/);
    const production = await gatewayFor(t, { NODE_ENV: 'production' });
    const { errors } = await executeGraphql(production, create, variables);
    t.notRegex(inspect(errors), /Did you mean/);
  },
);
