import { encodeId } from '@roster/contracts';
import { eventually, TcpProxy, throwawayNats } from '@roster/testing';
import test, { type ExecutionContext } from 'ava';
import { EventSource } from 'eventsource';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { startGatewayProcess } from '../../process/gateway-process.js';
import { serveStubs } from '../../stub-services.js';
import { bearer, testGateway, type TestGateway } from '../../test-gateway.js';
import { eventsDocument } from './follow-events.js';
import { PublishedEvents } from './published-events.js';

interface FollowOptions {
  authorization: string;
  after?: string;
  onEvent: (event: { id: string; contact: { name: string } }) => void;
  onEnd: (reason: unknown) => void;
}
interface NextResult {
  data: { events: { contact: { name: string } } };
}
type Follow = (url: string, options: FollowOptions) => () => void;

let gateway: TestGateway;
let events: PublishedEvents;
let followEventSource: Follow;
test.before(async () => {
  gateway = await testGateway();
  events = await PublishedEvents.open(gateway.stubs);
  const guide = fileURLToPath(new URL('../../../../graphql/README.md', import.meta.url));
  const code = /```js\n(function followEventSource[\s\S]+?)```/.exec(
    await readFile(guide, 'utf8'),
  )![1]!;
  const module = `data:text/javascript,${encodeURIComponent(`export const withClass = (EventSource) => ${code}`)}`;
  const { withClass } = (await import(module)) as { withClass: (client: unknown) => Follow };
  followEventSource = withClass(EventSource);
});

test.after.always(() => gateway.close());

/** Follows events with the code of the guide. */
function follow(t: ExecutionContext, url: string, authorization: string, after?: string) {
  const received = { names: [] as string[], ends: [] as unknown[] };
  const stop = followEventSource(`${url}/graphql`, {
    authorization,
    ...(after !== undefined && { after }),
    onEvent: ({ contact }) => received.names.push(contact.name),
    onEnd: (reason) => received.ends.push(reason),
  });
  t.teardown(stop);
  return received;
}

for (const signal of ['SIGTERM', 'SIGKILL'] as const)
  test(`an EventSource receives the events of a restart of the gateway by ${signal}, each once and in order`, async (t) => {
    t.timeout(120_000);
    const nats = await throwawayNats();
    t.teardown(() => nats.stop());
    const stubs = await serveStubs(nats.url);
    t.teardown(() => stubs.close());
    const published = await PublishedEvents.open(stubs);
    const { apiKey, workspaceId } = stubs.makeKey();
    const former = await startGatewayProcess(t, { NATS_URL: nats.url });
    // Clients of a gateway that is restarted on the same address.
    const proxy = await TcpProxy.start({ host: '127.0.0.1', port: former.port });
    t.teardown(() => proxy.stop());
    const url = `http://127.0.0.1:${proxy.port}`;
    const received = follow(
      t,
      url,
      `Bearer ${apiKey}`,
      await published.publish(workspaceId, 'first'),
    );
    await published.publish(workspaceId, 'before');
    await eventually(() => received.names.length === 1);
    former.process.kill(signal);
    await once(former.process, 'exit');
    await published.publish(workspaceId, 'between');
    await published.publish(workspaceId, 'still between');
    const { port } = await startGatewayProcess(t, { NATS_URL: nats.url });
    proxy.target = { host: '127.0.0.1', port };
    await eventually(() => received.names.length === 3, { timeoutMs: 60_000 });
    await published.publish(workspaceId, 'after');
    await eventually(() => received.names.length === 4);
    t.deepEqual(received.names, ['before', 'between', 'still between', 'after']);
    t.deepEqual(received.ends, []);
  });

test('an EventSource that loses its connection before its first event receives the events in between', async (t) => {
  const { apiKey, workspaceId } = gateway.stubs.makeKey();
  await events.publish(workspaceId, 'earlier');
  const proxy = await TcpProxy.start({ host: '127.0.0.1', port: gateway.port });
  t.teardown(() => proxy.stop());
  let passed = '';
  const tapped = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      controller.enqueue(chunk);
      passed += Buffer.from(chunk).toString();
    },
  });
  let connections = 0;
  const names: string[] = [];
  const query = 'subscription { events { id ... on ContactEvent { contact { name } } } }';
  const url = `http://127.0.0.1:${proxy.port}/graphql?query=${encodeURIComponent(query)}`;
  const source = new EventSource(url, {
    async fetch(input, init) {
      const response = await fetch(input, {
        ...init,
        headers: { ...init.headers, ...bearer(apiKey) },
      });
      connections += 1;
      if (connections > 1) return response;
      return { ...pick(response), body: response.body!.pipeThrough(tapped) };
    },
  });
  t.teardown(() => source.close());
  source.addEventListener('next', ({ data }) => {
    const { data: result } = JSON.parse(data as string) as NextResult;
    names.push(result.events.contact.name);
  });
  await eventually(() => passed.includes('id: '));
  await proxy.setMode('refuse');
  await events.publish(workspaceId, 'between');
  await proxy.setMode('forward');
  await eventually(() => names.length > 0, { timeoutMs: 60_000 });
  await events.publish(workspaceId, 'after');
  await eventually(() => names.length > 1);
  t.deepEqual(names, ['between', 'after']);
});

test('a stream begins with the newest position, unless it resumes after another one', async (t) => {
  const { apiKey, workspaceId } = gateway.stubs.makeKey();
  const first = await events.publish(workspaceId, 'a');
  const newest = await events.publish(workspaceId, 'b');
  const headers = bearer(apiKey);
  t.true((await streamUntil(t, '\n\n', headers)).startsWith(`id: ${newest}\n\n`));
  for (const text of [
    await streamUntil(t, '"name":"b"', headers, { after: first }),
    await streamUntil(t, '"name":"b"', { ...headers, 'last-event-id': first }),
  ])
    t.notRegex(text, /^id: .*\n\n/m);
});

test('the code of the guide ends with not_found if the event to resume after is not retained, and with the status of a refusal', async (t) => {
  const { apiKey } = gateway.stubs.makeKey();
  const unknown = encodeId('event', randomUUID());
  const received = follow(t, gateway.url, `Bearer ${apiKey}`, unknown);
  const refused = follow(t, gateway.url, 'Bearer rsk_unknown');
  await eventually(() => received.ends.length > 0 && refused.ends.length > 0);
  t.deepEqual([received.ends, refused.ends], [['not_found'], [401]]);
});

/** What EventSource reads of a response. */
const pick = ({ url, status, redirected, headers }: Response) => ({
  url,
  status,
  redirected,
  headers,
});

/** The text of an event stream until it contains `end`. */
async function streamUntil(
  t: ExecutionContext,
  end: string,
  headers: Record<string, string>,
  variables: Record<string, unknown> = {},
): Promise<string> {
  const aborted = new AbortController();
  t.teardown(() => aborted.abort());
  const response = await fetch(`${gateway.url}/graphql`, {
    method: 'POST',
    headers: { accept: 'text/event-stream', 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ query: eventsDocument, variables }),
    signal: aborted.signal,
  });
  let text = '';
  for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    if (text.includes(end)) return text;
  }
  return text;
}

test('each result carries the ID of its event, and Last-Event-ID replaces `after`', async (t) => {
  const { apiKey, workspaceId } = gateway.stubs.makeKey();
  const ids: string[] = [];
  for (const one of ['a', 'b', 'c', 'd']) ids.push(await events.publish(workspaceId, one));
  const headers = { ...bearer(apiKey), 'last-event-id': ids[1]! };
  const text = await streamUntil(t, '"name":"d"', headers, { after: ids[0] });
  t.deepEqual(
    [...text.matchAll(/^id: (.+)\nevent: next\ndata: .*"name":"(.)"/gm)].map(([, id, name]) => [
      id,
      name,
    ]),
    [
      [ids[2], 'c'],
      [ids[3], 'd'],
    ],
  );
});

test('results without an event carry no ID, and a malformed Last-Event-ID is answered not_found', async (t) => {
  const { apiKey } = gateway.stubs.makeKey();
  const headers = { ...bearer(apiKey), 'last-event-id': 'junk' };
  const text = await streamUntil(t, 'event: complete', headers);
  t.regex(text, /^event: next\ndata: .*"code":"not_found"/m);
  t.notRegex(text, /^id:/m);
});

test('an empty Last-Event-ID resumes after `after`', async (t) => {
  const { apiKey, workspaceId } = gateway.stubs.makeKey();
  const first = await events.publish(workspaceId, 'a');
  await events.publish(workspaceId, 'b');
  const headers = { ...bearer(apiKey), 'last-event-id': '' };
  const text = await streamUntil(t, '"name":"b"', headers, { after: first });
  t.notRegex(text, /"name":"a"/);
});
