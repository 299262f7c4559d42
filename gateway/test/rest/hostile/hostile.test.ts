import { operations, type Operation } from '@roster/contracts';
import { sampleContent, shortOrLong } from '@roster/testing';
import test from 'ava';
import fc from 'fast-check';
import { request } from 'node:http';
import { fieldsOf, methodsOf, restOperations } from '../../../rest/rest-operations.js';
import { problemIn } from '../../problem-document.js';
import { bearer, sharedGateway } from '../../test-gateway.js';
import { pathOf } from '../path-of.js';
import { anyBody, hostileBody, isTooLarge } from './hostile-bodies.js';
import {
  hostileAuthorization,
  hostileId,
  hostileMediaType,
  hostileMethod,
  hostilePath,
  hostileQuery,
} from './hostile-requests.js';

// Without a limit: the tests send more invalid keys from one address than it allows.
const gateway = sharedGateway(test, { FAILED_AUTHENTICATIONS_PER_MINUTE: 0 });

const json = { 'content-type': 'application/json' };

/** Sends requests that fetch would normalize or reject: paths as they are, bodies with any method. */
function send(
  method: string,
  path: string,
  headers: Record<string, string>,
  body?: string | Uint8Array,
): Promise<Response> {
  return new Promise((resolve, reject) => {
    const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) };
    const sent = request(
      { port: gateway().port, host: '127.0.0.1', method, path, headers: { ...headers, ...length } },
      (response) => {
        const chunks: Buffer[] = [];
        response
          .on('data', (chunk: Buffer) => chunks.push(chunk))
          .on('end', () => {
            const bodyless = method === 'HEAD';
            const init = {
              status: response.statusCode!,
              headers: response.headers as Record<string, string>,
            };
            resolve(new Response(bodyless ? null : Buffer.concat(chunks), init));
          });
      },
    ).on('error', reject);
    sent.end(body);
  });
}

const withKey = () => bearer(gateway().stubs.makeKey().apiKey);

for (const operation of restOperations) {
  const { method, path } = operation.http;
  const { body: fields } = fieldsOf(operation);

  test(`${method} ${path} rejects every hostile body and query with the right problem, and calls no service`, async (t) => {
    const { apiKey, keyId } = gateway().stubs.makeKey();
    const key = bearer(apiKey);
    const callCount = () =>
      gateway()
        .stubs.calls(operation.name)
        .filter(({ caller }) => caller.keyId === keyId).length;
    const target = pathOf(operation);
    if (method !== 'GET' && !operation.http.upload) {
      await fc.assert(
        fc.asyncProperty(hostileBody(operation), async ({ body, codes }) => {
          const { code } = await problemIn(await send(method, target, { ...key, ...json }, body));
          if (!codes.includes(code))
            throw new Error(`answered ${code} instead of ${codes.join(' or ')}`);
        }),
        { numRuns: shortOrLong(10, 40) },
      );
      await fc.assert(
        fc.asyncProperty(hostileMediaType, async (type) => {
          const { code } = await problemIn(
            await send(method, target, { ...key, 'content-type': type }, '{}'),
          );
          if (code !== 'unsupported_media_type') throw new Error(`answered ${code}`);
        }),
        { numRuns: shortOrLong(3, 10) },
      );
    }
    await fc.assert(
      fc.asyncProperty(hostileQuery, async (query) => {
        // The body is valid, so that only the query is invalid.
        const content = sampleContent(operation);
        const isSent = fields.length > 0 || operation.http.upload !== undefined;
        const { code, errors } = await problemIn(
          await send(
            method,
            `${target}?${query}`,
            { ...key, 'content-type': content.type },
            isSent ? content.body : undefined,
          ),
        );
        if (code !== 'invalid' || !errors) throw new Error(`answered ${code}`);
      }),
      { numRuns: shortOrLong(10, 40) },
    );
    t.is(callCount(), 0);
  });
}

test('a body of known fields with arbitrary values is accepted or rejected as invalid', async (t) => {
  const key = withKey();
  const withBody = restOperations.filter((operation) => fieldsOf(operation).body.length > 0);
  let accepted = 0;
  await fc.assert(
    fc.asyncProperty(
      fc
        .constantFrom(...withBody)
        .chain((operation) => fc.tuple(fc.constant(operation), anyBody(fieldsOf(operation).body))),
      async ([operation, body]) => {
        const { http } = operation;
        const expected = isTooLarge(operation, body) ? 'payload_too_large' : 'invalid';
        const response = await send(http.method, pathOf({ http }), { ...key, ...json }, body);
        if (response.ok) accepted += 1;
        else if ((await problemIn(response)).code !== expected)
          throw new Error(`answered ${response.status}`);
      },
    ),
    { numRuns: shortOrLong(200, 500) },
  );
  t.true(accepted > 0);
});

test('answers hostile IDs as unknown IDs', async (t) => {
  const key = withKey();
  const withId = (Object.values(operations) as Operation[]).filter(
    ({ http, resource }) => resource && http?.path.endsWith('}'),
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

test('a hostile tag is passed on as it was sent, or refused as invalid', async (t) => {
  const { apiKey, keyId } = gateway().stubs.makeKey();
  const tags = fc.oneof(
    fc.string({ unit: 'binary', minLength: 1, maxLength: 70 }),
    fc.constantFrom('a/b', '/', 'is:a', 'any:a,b', 'exists', '100%', '%2F', 'a?b#c', '+', ' ', '…'),
  );
  await fc.assert(
    fc.asyncProperty(tags, async (tag) => {
      const response = await send('DELETE', `/v1/tags/${encodeURIComponent(tag)}`, bearer(apiKey));
      if (response.ok) {
        const { input, caller } = gateway().stubs.calls('tags.delete').at(-1)!;
        t.is(caller.keyId, keyId);
        t.like(input, { tag });
        return;
      }
      const { code, errors } = await problemIn(response);
      t.is(code, 'invalid');
      t.deepEqual(
        (errors as { pointer: string }[]).map(({ pointer }) => pointer),
        ['/tag'],
      );
      t.true([...tag].length > 64 || tag.includes('\0'));
    }),
    { numRuns: 200 },
  );
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
      { numRuns: shortOrLong(3, 10) },
    );
    t.pass();
  });
}

test('answers 404 to paths without a route with any method, and 405 to unsupported methods', async (t) => {
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
      const methods: string[] = known.get(path)!.flatMap(methodsOf);
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
