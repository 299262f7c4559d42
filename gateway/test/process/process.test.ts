import { eventually, throwawayNats, type ThrowawayNats } from '@roster/testing';
import test from 'ava';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { Agent, get } from 'node:http';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { WebSocket } from 'ws';
import { spawnGateway, startGatewayProcess } from './gateway-process.js';
import { contactId } from '../stub-results.js';
import { serveStubs, type StubServices } from '../stub-services.js';
import { bearer } from '../test-gateway.js';

let nats: ThrowawayNats;
let stubs: StubServices;
test.before(async () => {
  nats = await throwawayNats();
  stubs = await serveStubs(nats.url);
});
test.after.always(async () => {
  await stubs?.close();
  await nats?.stop();
});

test('logs one line per request, with IDs but without key, body, query and path', async (t) => {
  const gateway = await startGatewayProcess(t, { NATS_URL: nats.url });
  const key = stubs.makeKey();
  const trace = '0af7651916cd43dd8448eb211c80319c';
  await sendSecrets(`http://127.0.0.1:${gateway.port}`, key.apiKey, trace);
  const lines = await eventually(() => {
    const all = gateway
      .output()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    const requests = all.filter(({ msg }) => msg === 'request');
    return requests.length === 5 && requests;
  });
  const { ms, time, ...first } = lines[0]!;
  t.is(typeof ms, 'number');
  t.truthy(time);
  t.like(first, {
    level: 'info',
    method: 'POST',
    route: '/v1/contacts',
    operation: 'contacts.create',
    status: 201,
    requestId: 'first',
    traceId: trace,
    workspaceId: key.workspaceId,
    keyId: key.keyId,
  });
  t.deepEqual(
    lines.map(({ status }) => status),
    [201, 400, 422, 422, 404],
  );
  t.deepEqual(
    lines.map(({ code }) => code),
    [undefined, 'invalid_json', 'invalid', 'invalid', 'not_found'],
  );
  t.notRegex(gateway.output(), /secret/);
  t.notRegex(gateway.output(), new RegExp(key.apiKey));
  t.notRegex(gateway.output(), new RegExp(contactId));
});

/** Sends five requests with secrets in the body, headers, query and path. */
async function sendSecrets(url: string, apiKey: string, trace: string): Promise<void> {
  const secrets = {
    email: 'secret-email@example.com',
    name: 'secret-name',
    properties: { city: 'secret-city' },
  };
  const post = (body: string, id: string) =>
    fetch(`${url}/v1/contacts`, {
      method: 'POST',
      headers: {
        ...bearer(apiKey),
        'content-type': 'application/json',
        'x-request-id': id,
        traceparent: `00-${trace}-b7ad6b7169203331-01`,
        'idempotency-key': 'secret-idempotency-key',
      },
      body,
    });
  await post(JSON.stringify(secrets), 'first');
  await post('{"email":"secret-email', 'second');
  await post('{"secret-field":"secret-value"}', 'third');
  await fetch(`${url}/v1/contacts/${contactId}?secret-query=secret-value`, {
    headers: bearer(apiKey),
  });
  await fetch(`${url}/secret-path`, { headers: bearer(`${apiKey}secret-key`) });
}

test('the log says of each response that a page cannot read how its origin is allowed', async (t) => {
  const gateway = await startGatewayProcess(t, { NATS_URL: nats.url });
  const url = `http://127.0.0.1:${gateway.port}`;
  const [listed, unlisted] = ['https://app.example.com', 'https://unlisted.example.com'];
  stubs.answer('origins.check', ({ input }) => ({
    isListed: (input as { origin: string }).origin === listed,
  }));
  const headers = bearer(stubs.makeKey({ origins: [listed] }).apiKey);
  const preflight = { method: 'OPTIONS', headers: { 'access-control-request-method': 'GET' } };
  // The last one is a page of the gateway itself.
  for (const origin of [unlisted, listed, url])
    for (const init of [{ headers }, { headers: {} }, preflight])
      await fetch(`${url}/v1/contacts`, { ...init, headers: { ...init.headers, origin } });
  const socket = new WebSocket(`${url.replace('http', 'ws')}/graphql`, { origin: unlisted });
  socket.on('error', () => undefined);
  const reasons = await eventually(() => {
    const lines = gateway
      .output()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { msg: string; reason?: string })
      .filter(({ msg }) => msg === 'request' || msg === 'rejected a malformed request');
    return lines.length === 10 && lines.map(({ reason }) => reason);
  });
  const reason = `The origin ${unlisted} is not allowed: add it to the list of the workspace with PUT /v1/origins.`;
  t.deepEqual(reasons, [
    ...[reason, reason, reason],
    ...Array.from({ length: 6 }, () => undefined),
    reason,
  ]);
});

test('after SIGTERM closes the port, answers the requests in flight and exits with 0', async (t) => {
  const env = { NATS_URL: nats.url, REQUEST_TIMEOUT_MS: '30000' };
  const gateway = await startGatewayProcess(t, env);
  const key = stubs.makeKey();
  const gate = Promise.withResolvers<void>();
  stubs.answer('contacts.get', ({ requestId }) =>
    requestId === 'slow' ? gate.promise : undefined,
  );
  const agent = new Agent({ keepAlive: true });
  t.teardown(() => agent.destroy());
  const send = (requestId: string) =>
    new Promise<{ status: number; connection: string | undefined }>((resolve, reject) => {
      const options = { agent, headers: { ...bearer(key.apiKey), 'x-request-id': requestId } };
      get(`http://127.0.0.1:${gateway.port}/v1/contacts/${contactId}`, options, (response) => {
        const { statusCode, headers } = response;
        response
          .resume()
          .on('end', () => resolve({ status: statusCode!, connection: headers.connection }));
      }).on('error', reject);
    });
  t.deepEqual(await send('quick'), { status: 200, connection: 'keep-alive' });
  const inFlight = Array.from({ length: 50 }, () => send('slow'));
  await eventually(
    () => stubs.calls('contacts.get').filter(({ requestId }) => requestId === 'slow').length === 50,
  );
  gateway.process.kill('SIGTERM');
  await eventually(async () => {
    const readiness = await fetch(`http://127.0.0.1:${gateway.adminPort}/readyz`);
    return readiness.status === 503;
  });
  await eventually(() =>
    fetch(`http://127.0.0.1:${gateway.port}/`).then(
      () => false,
      () => true,
    ),
  );
  gate.resolve();
  for (const response of await Promise.all(inFlight))
    t.deepEqual(response, { status: 200, connection: 'close' });
  t.is(await gateway.exit, 0);
});

test('with DRAIN_DELAY_MS still answers requests after SIGTERM while not ready, then exits with 0', async (t) => {
  const env = { NATS_URL: nats.url, DRAIN_DELAY_MS: '8000' };
  const gateway = await startGatewayProcess(t, env);
  const signalledAt = performance.now();
  gateway.process.kill('SIGTERM');
  await eventually(async () => {
    const readiness = await fetch(`http://127.0.0.1:${gateway.adminPort}/readyz`);
    return readiness.status === 503;
  });
  // A new connection, as load balancers open until they notice.
  const response = await fetch(`http://127.0.0.1:${gateway.port}/v1/contacts/${contactId}`, {
    headers: { ...bearer(stubs.makeKey().apiKey), connection: 'close' },
  });
  t.is(response.status, 200);
  t.is(await gateway.exit, 0);
  t.true(performance.now() - signalledAt >= 8000);
});

test('SIGTERM loses none of the requests on persistent connections', async (t) => {
  const gateway = await startGatewayProcess(t, { NATS_URL: nats.url });
  const key = stubs.makeKey();
  const lost: unknown[] = [];
  let answered = 0;
  // Sends requests one after another on its own connection until a response closes it.
  const sendUntilClosed = async (): Promise<void> => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    for (let open = true; open;) {
      open = await new Promise<boolean>((resolve) => {
        const options = { agent, headers: bearer(key.apiKey) };
        get(`http://127.0.0.1:${gateway.port}/v1/contacts`, options, (response) => {
          if (response.statusCode !== 200) lost.push(response.statusCode);
          answered += 1;
          response.resume().on('end', () => resolve(response.headers.connection === 'keep-alive'));
        }).on('error', (error) => {
          lost.push(error);
          resolve(false);
        });
      });
    }
    agent.destroy();
  };
  const streams = Array.from({ length: 20 }, sendUntilClosed);
  await eventually(() => answered > 500, { timeoutMs: 20_000 });
  gateway.process.kill('SIGTERM');
  await Promise.all(streams);
  t.deepEqual(lost, []);
  t.is(await gateway.exit, 0);
});

test('names a port that is already in use, and exits with 1', async (t) => {
  const other = createServer().listen(0, '127.0.0.1');
  t.teardown(() => void other.close());
  await once(other, 'listening');
  const { port } = other.address() as AddressInfo;
  const { exit, output } = spawnGateway(t, { NATS_URL: nats.url, PORT: String(port) });
  t.is(await exit, 1);
  t.regex(output(), new RegExp(`Port ${port} of 127\\.0\\.0\\.1 is already in use`));
});

test('reports all invalid environment variables at once', async (t) => {
  const { exit, output } = spawnGateway(t, { PORT: '70000', SERVICE_NAME: 'two words' });
  t.is(await exit, 78);
  for (const name of ['NATS_URL', 'PORT', 'SERVICE_NAME'])
    t.regex(output(), new RegExp(`^  ${name}(:| is missing)`, 'm'));
});

test('exits with 78 and one line if GRAPHQL_DOCUMENTS is invalid', async (t) => {
  const dir = await mkdtemp(join(tmpdir(), 'roster-test-documents-'));
  t.teardown(() => rm(dir, { recursive: true }));
  const write = async (name: string, text: string) => {
    const path = join(dir, name);
    await writeFile(path, text);
    return path;
  };
  const missing = join(dir, 'missing.json');
  const noJson = await write('no-json.json', '{"secret');
  const noList = await write('no-list.json', '{"secret": 1}');
  const wrong = await write('wrong.json', '{"a1": "{ secret }"}');
  const noObject = 'names a file that is not a JSON object of documents by their SHA-256';
  for (const [file, problem] of [
    [missing, `refers to a file that cannot be read (ENOENT): ${missing}`],
    [dir, `refers to a file that cannot be read (EISDIR): ${dir}`],
    [noJson, `${noObject}: ${noJson}`],
    [noList, `${noObject}: ${noList}`],
    [wrong, 'contains a document whose SHA-256 hash does not match: a1'],
  ] as const) {
    const { exit, output } = spawnGateway(t, { NATS_URL: nats.url, GRAPHQL_DOCUMENTS: file });
    t.is(await exit, 78);
    t.is(output(), `gateway: Invalid environment variables:\n  GRAPHQL_DOCUMENTS: ${problem}\n`);
  }
});
