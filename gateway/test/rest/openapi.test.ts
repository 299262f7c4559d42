import {
  deliveredData,
  eventData,
  eventKinds,
  operations,
  pathFieldsOf,
  type Operation,
} from '@roster/contracts';
import test from 'ava';
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { adminOperations } from '../../rest/admin/admin-operations.js';
import { eventExamples, requestExamples } from '../../rest/openapi/examples.js';
import { pathIds } from '../stub-results.js';
import { testGateway, type TestGateway } from '../test-gateway.js';

interface Document {
  paths: Record<
    string,
    Record<
      string,
      {
        operationId: string;
        requestBody?: unknown;
        responses: Record<
          string,
          { headers?: { Link?: { $ref: string } }; content?: Record<string, { example?: unknown }> }
        >;
        parameters?: object[];
      }
    >
  >;
  webhooks: Record<string, { post: { parameters: { name: string }[] } }>;
  tags: { description?: string }[];
  components: {
    schemas: Record<string, { properties: Record<string, { items?: object }> }>;
    responses: Record<string, { headers: object }>;
    parameters: Record<string, object>;
  };
}

let gateway: TestGateway;
let text: string;
let document: Document;
test.before(async () => {
  gateway = await testGateway({ SERVICE_NAME: 'Acme' });
  const response = await fetch(`${gateway.url}/v1/openapi.json`);
  text = await response.text();
  document = JSON.parse(text) as Document;
});
test.after.always(() => gateway.close());

test('the document passes the recommended rules of Redocly without warnings', async (t) => {
  const directory = await mkdtemp(join(tmpdir(), 'roster-openapi-'));
  t.teardown(() => rm(directory, { recursive: true }));
  await writeFile(join(directory, 'openapi.json'), text);
  const redocly = join(
    dirname(fileURLToPath(import.meta.resolve('@redocly/cli/package.json'))),
    'bin/cli.js',
  );
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [redocly, 'lint', 'openapi.json', '--extends=recommended', '--format=json'],
    {
      cwd: directory,
      env: {
        ...process.env,
        REDOCLY_TELEMETRY: 'off',
        REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true',
        CI: 'true',
      },
    },
  ).catch((failed: { stdout: string }) => failed);
  const { problems } = JSON.parse(stdout) as { problems: { ruleId: string; message: string }[] };
  // No method has both paths.
  const distinct =
    /`\/v1\/contacts\/(\{contactId\}\/(unsubscribe|erase)|actions\/\{actionId\})` and `\/v1\/contacts\/(\{contactId\}\/(unsubscribe|erase)|actions\/\{actionId\})`/;
  t.deepEqual(
    problems.filter(
      ({ ruleId, message }) => ruleId !== 'no-ambiguous-paths' || !distinct.test(message),
    ),
    [],
  );
});

test('describes exactly the operations of the contracts', (t) => {
  const described = Object.values(document.paths).flatMap((path) =>
    Object.values(path).map(({ operationId }) => operationId),
  );
  const declared = (Object.values(operations) as Operation[])
    .filter(({ http, admin }) => http ?? admin)
    .map(({ name }): string => name);
  t.deepEqual(described.filter((name) => !patches.includes(name)).toSorted(), declared.toSorted());
  t.deepEqual(
    described.filter((name) => patches.includes(name)),
    patches,
  );
});

const patches = [
  'contacts.patch',
  'contact-properties.patch',
  'settings.patch',
  'users.patch-me',
  'webhooks.patch',
];

test('describes PATCH like PUT, with both media types', (t) => {
  const path = document.paths['/v1/contacts/{contactId}']!;
  const { requestBody, ...patch } = path['patch']!;
  const { requestBody: ofPut, ...put } = path['put']!;
  t.deepEqual(patch.parameters, put.parameters);
  t.deepEqual(patch.responses, put.responses);
  const { content } = requestBody as { content: Record<string, object> };
  const [json] = Object.values((ofPut as { content: object }).content) as object[];
  t.deepEqual(content, { 'application/json': json, 'application/merge-patch+json': json });
});

test('describes the body, the faults and the Idempotency-Key of an operation', (t) => {
  const { responses, requestBody, parameters } = document.paths['/v1/contacts']!['post']!;
  t.deepEqual(Object.keys(responses), [
    '201',
    '400',
    '401',
    '403',
    '409',
    '413',
    '415',
    '422',
    '429',
    '500',
    '503',
    '504',
  ]);
  t.deepEqual(parameters, [{ $ref: '#/components/parameters/IdempotencyKey' }]);
  t.truthy(requestBody);
  t.true(Object.keys(document.components.schemas).includes('Contact'));
});

test('declares the faults of a body also for operations whose body has no fields', (t) => {
  for (const [path, method] of [
    ['/v1/contacts/{contactId}', 'delete'],
    ['/v1/contacts/{contactId}/unsubscribe', 'post'],
  ] as const)
    for (const status of ['400', '413', '415'])
      t.true(status in document.paths[path]![method]!.responses, `${method} ${path} ${status}`);
});

test('addresses may be international', (t) => {
  const text = JSON.stringify(document);
  t.true(text.includes('"format":"idn-email"'));
  t.false(text.includes('"format":"email"'));
});

test('names the schemas of bodies, responses and events, and describes every tag', (t) => {
  const { schemas } = document.components;
  for (const name of ['CreateContactInput', 'ContactPage', 'UpdateMeInput', 'ContactCreatedEvent'])
    t.true(name in schemas, name);
  const described = Object.values(document.paths).flatMap((path) => Object.values(path));
  const contents = JSON.stringify(described).matchAll(
    /"application\/json":\{"schema":(\{"type":"object")/g,
  );
  t.deepEqual([...contents], []);
  t.deepEqual(
    document.tags.filter(({ description }) => !description),
    [],
  );
});

test('declares the headers of rate limits wherever a request was counted', (t) => {
  const { responses } = document.components;
  const counted = Object.entries(responses).filter(([, { headers }]) => 'RateLimit' in headers);
  t.deepEqual(
    Object.keys(responses).filter((name) => !counted.some(([one]) => one === name)),
    ['Unauthenticated', 'Forbidden'],
  );
});

test('declares the Link header of the lists with pages', (t) => {
  const declaring = Object.values(document.paths)
    .flatMap((path) => Object.values(path))
    .filter(({ responses }) => '#/components/headers/Link' === linkOf(responses))
    .map(({ operationId }) => operationId);
  t.deepEqual(declaring.toSorted(), [
    'admin-workspaces.list',
    'admin-workspaces.users',
    'api-keys.list',
    'audit-log.list',
    'contact-actions.list',
    'contact-properties.list',
    'contacts.list',
    'deliveries.list',
    'event-log.list',
    'imports.list',
    'replays.list',
    'sessions.list',
    'suppressions.list',
    'tags.list',
    'users.list',
    'workspace-deliveries.list',
  ]);
});

const linkOf = (
  responses: Record<
    string,
    { headers?: { Link?: { $ref: string } }; content?: Record<string, { example?: unknown }> }
  >,
) => responses['200']?.headers?.Link?.$ref;

test('the event kinds of a webhook are an enumeration in responses, open to later kinds', (t) => {
  const { items } = document.components.schemas['Webhook']!.properties['events']!;
  t.like(items, { anyOf: [{ $ref: '#/components/schemas/EventKind' }, { type: 'string' }] });
});

test('the kind of an event of the log determines its data, and later kinds are described too', (t) => {
  const schemas = document.components.schemas as unknown as Record<string, ListedSchema>;
  for (const [name, suffix, more] of [
    ['EventListed', 'EventListed', []],
    ['Event', 'EventWithDeliveries', ['deliveries']],
  ] as const) {
    const { oneOf, discriminator } = schemas[`Known${suffix}`]!;
    t.deepEqual(Object.keys(discriminator!.mapping), [...eventKinds]);
    for (const kind of eventKinds) {
      const $ref = discriminator!.mapping[kind]!;
      t.true(oneOf!.some((one) => one.$ref === $ref));
      const { properties } = schemas[$ref.slice($ref.lastIndexOf('/') + 1)]!;
      t.deepEqual(Object.keys(properties!), ['id', 'kind', 'createdAt', 'data', ...more]);
      t.is(properties!['kind']!.const, kind);
      const data = Object.keys(properties!['data']!.properties!);
      t.deepEqual(data, Object.keys(eventData[kind].shape));
    }
    t.deepEqual(
      schemas[name]!.anyOf!.map(({ $ref }) => $ref.split('/').at(-1)),
      [`Known${suffix}`, `Later${suffix}`],
    );
    const { properties } = schemas[`Later${suffix}`]!;
    t.deepEqual(properties!['kind']!.not, { enum: [...eventKinds] });
  }
});

interface ListedSchema {
  const?: string;
  not?: object;
  anyOf?: { $ref: string }[];
  oneOf?: { $ref: string }[];
  discriminator?: { mapping: Record<string, string> };
  properties?: Record<string, ListedSchema>;
}

test('the Idempotency-Key has no example: requests that copied it would have the same key', (t) => {
  t.false('example' in document.components.parameters['IdempotencyKey']!);
});

test('examples of bodies are valid', async (t) => {
  for (const [name, example] of Object.entries(requestExamples)) {
    const { http, input } =
      adminOperations.find(({ shown }) => shown.name === name)?.shown ??
      (operations as Record<string, Operation>)[name]!;
    const path = Object.fromEntries(pathFieldsOf(http!).map((field) => [field, pathIds[field]]));
    t.notThrows(() => input.parse({ ...example, ...path }), name);
  }
});

test('every response of JSON has a valid example with fields of its contract only', (t) => {
  const described = Object.values(document.paths).flatMap((methods) => Object.values(methods));
  for (const { operationId, responses } of described)
    for (const [status, { content = {} }] of Object.entries(responses)) {
      const json = content['application/json'];
      if (!json) continue;
      const name = operationId.replace('.patch', '.update');
      const { output } = (operations as Record<string, Operation>)[name]!;
      t.deepEqual(output.parse(json.example), json.example, `${operationId} ${status}`);
      // What no value of the examples fits.
      t.notRegex(JSON.stringify(json.example), /"text"/, operationId);
    }
});

test('examples of events have fields of their contracts only', (t) => {
  for (const kind of eventKinds)
    for (const [payload, { value }] of Object.entries(eventExamples(kind))) {
      const { data } = value as { data: object };
      const type = payload === 'full' ? deliveredData[kind] : eventData[kind];
      t.deepEqual(type.parse(data) as object, data, `${payload} ${kind}`);
    }
});

test('describes every event kind with its signature headers and the name of the service', (t) => {
  t.deepEqual(Object.keys(document.webhooks), [...eventKinds]);
  for (const { post } of Object.values(document.webhooks)) {
    const names = post.parameters.map(({ name }) => name);
    for (const name of [
      'X-Acme-Signature',
      'X-Acme-Event',
      'X-Acme-Delivery',
      'webhook-id',
      'webhook-signature',
    ]) {
      t.true(names.includes(name), name);
    }
  }
});
