import { operations, type Operation } from '@roster/contracts';
import { sampleBody } from '@roster/testing';
import test from 'ava';
import fc from 'fast-check';
import { request } from 'node:http';
import { fieldsOf, restOperations } from '../rest/rest-operations.js';
import {
  anyBody,
  hostileAuthorization,
  hostileBody,
  hostileId,
  hostileMediaType,
  hostileMethod,
  hostilePath,
  hostileQuery,
} from './hostile-input.js';
import { problemIn } from './problem-document.js';
import { pathOf } from './path-of.js';
import { bearer, testGateway, type TestGateway } from './test-gateway.js';

let gateway: TestGateway;
test.before(async () => void (gateway = await testGateway()));
test.after.always(() => gateway.close());

const json = { 'content-type': 'application/json' };

/** Sends what fetch would tidy up: paths as they are, bodies with any method. */
function send(
  method: string,
  path: string,
  headers: Record<string, string>,
  body?: string | Uint8Array,
): Promise<Response> {
  return new Promise((resolve, reject) => {
    const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) };
    const sent = request(
      { port: gateway.port, host: '127.0.0.1', method, path, headers: { ...headers, ...length } },
      (answer) => {
        const chunks: Buffer[] = [];
        answer
          .on('data', (chunk: Buffer) => chunks.push(chunk))
          .on('end', () => {
            const bodyless = method === 'HEAD';
            const init = {
              status: answer.statusCode!,
              headers: answer.headers as Record<string, string>,
            };
            resolve(new Response(bodyless ? null : Buffer.concat(chunks), init));
          });
      },
    ).on('error', reject);
    sent.end(body);
  });
}

const withKey = () => bearer(gateway.stubs.makeKey().apiKey);

for (const operation of restOperations) {
  const { method, path } = operation.http;
  const { body: fields } = fieldsOf(operation);

  test(`${method} ${path} refuses every hostile body and query with the right problem, and asks nobody`, async (t) => {
    const { apiKey, keyId } = gateway.stubs.makeKey();
    const key = bearer(apiKey);
    const askedWith = () =>
      gateway.stubs.calls(operation.name).filter(({ caller }) => caller.keyId === keyId).length;
    const target = pathOf(operation);
    if (method !== 'GET') {
      await fc.assert(
        fc.asyncProperty(hostileBody(fields), async ({ body, codes }) => {
          const { code } = await problemIn(await send(method, target, { ...key, ...json }, body));
          if (!codes.includes(code))
            throw new Error(`answered ${code} instead of ${codes.join(' or ')}`);
        }),
        { numRuns: 40 },
      );
      await fc.assert(
        fc.asyncProperty(hostileMediaType, async (type) => {
          const { code } = await problemIn(
            await send(method, target, { ...key, 'content-type': type }, '{}'),
          );
          if (code !== 'unsupported_media_type') throw new Error(`answered ${code}`);
        }),
        { numRuns: 10 },
      );
    }
    await fc.assert(
      fc.asyncProperty(hostileQuery, async (query) => {
        // A body that would do, so that only the query can be wrong.
        const body = fields.length > 0 ? JSON.stringify(sampleBody(operation)) : undefined;
        const { code, errors } = await problemIn(
          await send(method, `${target}?${query}`, { ...key, ...json }, body),
        );
        if (code !== 'invalid' || !errors) throw new Error(`answered ${code}`);
      }),
      { numRuns: 40 },
    );
    t.is(askedWith(), 0);
  });
}

test('a body of right fields with any values is taken or refused as invalid, and never breaks anything', async (t) => {
  const key = withKey();
  const withBody = restOperations.filter((operation) => fieldsOf(operation).body.length > 0);
  let taken = 0;
  await fc.assert(
    fc.asyncProperty(
      fc
        .constantFrom(...withBody)
        .chain((operation) => fc.tuple(fc.constant(operation), anyBody(fieldsOf(operation).body))),
      async ([{ http }, body]) => {
        const response = await send(http.method, pathOf({ http }), { ...key, ...json }, body);
        if (response.ok) taken += 1;
        else if ((await problemIn(response)).code !== 'invalid')
          throw new Error(`answered ${response.status}`);
      },
    ),
    { numRuns: 500 },
  );
  t.true(taken > 0);
});

test('hostile ids are unknown ids', async (t) => {
  const key = withKey();
  const withId = (Object.values(operations) as Operation[]).filter(({ http }) =>
    http?.path.endsWith('}'),
  );
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...withId), hostileId, async ({ http }, id) => {
      const { method, path } = http!;
      const target = path.replace(/\{\w+\}/, id);
      const { code } = await problemIn(
        await send(method, target, { ...key, ...json }, method === 'PUT' ? '{}' : undefined),
      );
      if (code !== 'not_found') throw new Error(`answered ${code}`);
    }),
    { numRuns: 200 },
  );
  t.pass();
});

for (const operation of restOperations) {
  test(`${operation.name} answers hostile Authorization headers with 401`, async (t) => {
    await fc.assert(
      fc.asyncProperty(hostileAuthorization, async (authorization) => {
        const { code } = await problemIn(
          await send(operation.http.method, pathOf(operation), { authorization }),
        );
        if (code !== 'unauthenticated') throw new Error(`answered ${code}`);
      }),
      { numRuns: 10 },
    );
    t.pass();
  });
}

test('paths that lead nowhere are 404 whatever the method, and methods a path does not take 405', async (t) => {
  const known = Map.groupBy(restOperations, ({ http }) => http.path);
  await fc.assert(
    fc.asyncProperty(hostilePath, hostileMethod, async (path, method) => {
      const response = await send(method, path, withKey());
      if (response.status !== 404) throw new Error(`answered ${response.status}`);
      if (method !== 'HEAD') await problemIn(response);
    }),
    { numRuns: 150 },
  );
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...known.keys()), hostileMethod, async (path, method) => {
      const methods = known.get(path)!.map(({ http }) => http.method as string);
      if (methods.includes(method) || (method === 'HEAD' && methods.includes('GET'))) return;
      const response = await send(method, pathOf(known.get(path)![0]!), {});
      const allow = response.headers.get('allow')!.split(', ');
      if (response.status !== 405 || !methods.every((one) => allow.includes(one)))
        throw new Error(`answered ${response.status}`);
    }),
    { numRuns: 150 },
  );
  t.pass();
});
