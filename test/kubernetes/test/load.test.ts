import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { eventually } from '@roster/testing';
import test, { type ExecutionContext } from 'ava';
import { Load } from '../pods/load.js';
import type { PhaseSummary } from '../pods/load-phase.js';

interface SeenRequest {
  method: string;
  path: string;
  idempotencyKey: string | undefined;
  kept: boolean;
}

/** A gateway that answers like Roster, unless `disturb` answers first. */
async function startLoad(
  t: ExecutionContext,
  disturb: (
    seenRequest: SeenRequest,
    request: IncomingMessage,
    response: ServerResponse,
  ) => boolean,
  answerTimeoutMs = 60_000,
) {
  const seen: SeenRequest[] = [];
  let contacts = 0;
  const server = createServer((request, response) => {
    const seenRequest = {
      method: request.method!,
      path: request.url!,
      idempotencyKey: request.headers['idempotency-key'] as string | undefined,
      kept: request.headers.connection === 'keep-alive',
    };
    seen.push(seenRequest);
    if (disturb(seenRequest, request, response)) return;
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      if (seenRequest.method === 'POST' && seenRequest.path === '/v1/contacts') {
        const contact = { id: `cont_${(contacts += 1)}`, name: '' };
        response.writeHead(201).end(JSON.stringify({ contact }));
      } else if (seenRequest.method === 'PUT') {
        const { name } = JSON.parse(Buffer.concat(chunks).toString()) as { name: string };
        const id = seenRequest.path.split('/').at(-1);
        response.end(JSON.stringify({ contact: { id, name } }));
      } else response.end('{"data":{"contact":{}}}');
    });
  });
  // Longer than any stall of the machine: the server must not close idle connections, which would count as failures.
  server.keepAliveTimeout = 120_000;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const load = new Load({
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    apiKey: 'rsk_1',
    // Low enough for a busy machine, on which these tests run concurrently in one process.
    perSecond: 50,
    answerTimeoutMs,
    repeatForMs: 60_000,
  });
  t.teardown(async () => {
    await load.stop();
    server.close().closeAllConnections();
  });
  return { load, seen };
}

test('sends every operation over kept and fresh connections, and records the acknowledged changes', async (t) => {
  const { load, seen } = await startLoad(t, () => false);
  await eventually(() => seen.length > 100);
  const summary = await load.stop();
  t.deepEqual(summary.failures, []);
  t.is(summary.unresolved, 0);
  t.is(summary.requests, seen.length);
  for (const kept of [true, false])
    for (const path of ['/v1/contacts', '/graphql', '/v1/webhooks', '/v1/users/me'])
      t.true(
        seen.some((one) => one.path === path && one.kept === kept),
        `${path} ${kept}`,
      );
  const creates = seen.filter(({ method, path }) => method === 'POST' && path === '/v1/contacts');
  const updates = seen.filter(({ method }) => method === 'PUT');
  const acknowledged = (event: string) => load.acknowledged.filter((one) => one.event === event);
  t.is(acknowledged('CONTACT_CREATED').length, creates.length);
  t.is(acknowledged('CONTACT_UPDATED').length, updates.length);
  t.true(updates.length > 0);
});

interface Way {
  path: string;
  fail(request: IncomingMessage, response: ServerResponse): unknown;
}

test('records every kind of failure, in the phase in which the request was sent', async (t) => {
  // Each failure on a separate path, so that a repeated request does not fail in another way.
  const ways: Record<string, Way> = {
    503: { path: '/v1/webhooks', fail: (_, response) => response.writeHead(503).end() },
    '200 unavailable': {
      path: '/graphql',
      fail: (_, response) => response.end('{"errors":[{"extensions":{"code":"unavailable"}}]}'),
    },
    ECONNRESET: { path: '/v1/users/me', fail: ({ socket }) => socket.resetAndDestroy() },
    'no response in time': { path: '/v1/contacts', fail: () => undefined },
  };
  // Several of each: an attempt that the client has already given up on a busy machine is not recorded as failed.
  const left = new Map(Object.values(ways).map(({ path, fail }) => [path, { fail, count: 5 }]));
  let disturbed = false;
  const { load, seen } = await startLoad(
    t,
    ({ path }, request, response) => {
      const way = left.get(path);
      if (!disturbed || !way || way.count === 0) return false;
      way.count -= 1;
      way.fail(request, response);
      return true;
    },
    2000,
  );
  const outcomes = ({ failures }: PhaseSummary) =>
    [...new Set(failures.map(({ outcome }) => outcome))].toSorted();
  // If the machine stalls for seconds, requests are not answered in time.
  const failed = (summary: PhaseSummary) =>
    outcomes(summary).filter((outcome) => outcome !== 'no response in time');
  await eventually(() => seen.length > 20);
  t.deepEqual(failed(await load.begin('disturbed')), []);
  disturbed = true;
  await eventually(() => [...left.values()].every(({ count }) => count === 0));
  const during = await load.begin('after');
  t.is(during.name, 'disturbed');
  t.deepEqual(outcomes(during), Object.keys(ways).toSorted());
  t.is(during.unresolved, 0);
  const before = seen.length;
  await eventually(() => seen.length > before + 20);
  t.deepEqual(failed(await load.stop()), []);
});

test('repeats a write that failed with its Idempotency-Key, and counts it once', async (t) => {
  const keys: string[] = [];
  const { load } = await startLoad(t, ({ method, path, idempotencyKey }, _, response) => {
    if (method !== 'POST' || path !== '/v1/contacts' || keys.length >= 2) return false;
    if (keys.length === 1 && keys[0] !== idempotencyKey) return false;
    keys.push(idempotencyKey!);
    response.writeHead(504).end();
    return true;
  });
  await eventually(() => keys.length === 2);
  const summary = await load.stop();
  t.is(keys[0], keys[1]);
  t.is(summary.failures.length, 1);
  t.is(summary.unresolved, 0);
});

test('a GraphQL response without the contact is a failure', async (t) => {
  let requests = 0;
  const { load } = await startLoad(t, ({ path }, _, response) => {
    if (path !== '/graphql' || (requests += 1) > 1) return false;
    response.end('{"data":{"contact":null}}');
    return true;
  });
  await eventually(() => requests > 1);
  const { failures } = await load.stop();
  t.deepEqual(
    failures.map(({ operation, outcome }) => `${operation} ${outcome}`),
    ['graphql 200 without the contact'],
  );
});
