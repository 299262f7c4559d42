import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '@roster/embedded';
import { eventually } from '@roster/testing';
import test, { type ExecutionContext } from 'ava';
import { openRoster } from './client.js';
import { root } from '../cluster/release.js';
import { startReceiver } from './receiver.js';
import { patience, startRoster } from './running-roster.js';

const command = process.env.OTELCOL ?? 'otelcol';
const withCollector = spawnSync(command, ['--version']).status === 0 ? test : test.skip;
if (withCollector !== test)
  console.log(
    'The test with a collector is skipped: there is no otelcol (OTELCOL, or on the PATH).',
  );

withCollector(
  'a collector receives one trace from the request through its batch, statements, outbox and stream to the call of the webhook',
  async (t) => {
    const collector = await startCollector(t);
    const roster = await startRoster({
      t,
      env: {
        ...patience,
        OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
        // Clients decide.
        OTEL_TRACES_SAMPLER: 'parentbased_always_off',
      },
    });
    t.teardown(() => roster.discard());
    const receiver = await startReceiver();
    t.teardown(() => receiver.stop());
    await openRoster(roster).webhooks.create({
      url: receiver.url,
      events: ['CONTACT_CREATED'],
      traceContext: true,
    });
    const way = ({ traceId }: { traceId: string }) =>
      eventually(
        async () => wayOf((await collector.spans()).filter((span) => span.traceId === traceId)),
        { timeoutMs: 60_000 },
      );
    let linked: CollectedSpan | undefined;
    // Until two requests travel together.
    for (let n = 0; !linked;) {
      // As many traces as a message has.
      const requests = Array.from({ length: 10 }, () => {
        n += 1;
        return { traceId: n.toString(16).padStart(32, 'a'), email: `${n}@example.com` };
      });
      await Promise.all(requests.map((request) => create(roster, request)));
      for (const request of requests) {
        const [root, sent, processed, published, called] = await way(request);
        t.is(root!.parentSpanId, clientSpan);
        t.deepEqual(
          [root, sent, processed, published, called].map((span) => span!.service),
          [
            ...['roster-gateway', 'roster-gateway', 'roster-contacts', 'roster-contacts'],
            'roster-dispatcher',
          ],
        );
        const traceparent = `00-${request.traceId}-${called!.spanId}-01`;
        t.true(receiver.received.some(({ headers }) => headers['traceparent'] === traceparent));
        if (processed!.links.length > 0) linked = processed;
      }
    }
    const spans = await collector.spans();
    const first = spans.find(({ spanId }) => spanId === linked.links[0]!.spanId)!;
    t.is(first.name, 'process contacts.create');
    const statements = spans.filter(({ parentSpanId }) => parentSpanId === first.spanId);
    t.true(statements.some(({ name }) => name.startsWith('contacts.create')));
  },
);

const clientSpan = 'b7ad6b7169203331';

/** The spans from the request to the call of the webhook, each below the one before; undefined while one is missing. */
function wayOf(spans: readonly CollectedSpan[]): CollectedSpan[] | undefined {
  const names = [
    'POST /v1/contacts',
    'send contacts.create',
    'process contacts.create',
    'publish CONTACT_CREATED',
    'POST',
  ];
  const way = names.flatMap((name) => spans.find((span) => span.name === name) ?? []);
  if (way.length < names.length) return undefined;
  const isChain = way.every(
    ({ parentSpanId }, at) => at === 0 || parentSpanId === way[at - 1]!.spanId,
  );
  if (!isChain) throw new Error(JSON.stringify(way));
  return way;
}

async function create(
  { baseUrl, apiKey }: { baseUrl: string; apiKey: string },
  { traceId, email }: { traceId: string; email: string },
): Promise<void> {
  const response = await fetch(`${baseUrl}/v1/contacts`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${apiKey}`,
      'content-type': 'application/json',
      traceparent: `00-${traceId}-${clientSpan}-01`,
    },
    body: JSON.stringify({ email }),
  });
  if (response.status !== 201) throw new Error(await response.text());
}

/** https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding, and the name of its process. */
interface CollectedSpan {
  traceId: string;
  spanId: string;
  parentSpanId: string;
  name: string;
  attributes: Attribute[];
  links: { traceId: string; spanId: string }[];
  service: string | undefined;
}

interface Attribute {
  key: string;
  value: { stringValue?: string };
}

interface Exported {
  resourceSpans: {
    resource: { attributes: Attribute[] };
    /** Empty fields are left out. */
    scopeSpans: {
      spans: (Pick<CollectedSpan, 'traceId' | 'spanId' | 'name'> & Partial<CollectedSpan>)[];
    }[];
  }[];
}

/** The collector with the configuration of the documentation, on free ports of loopback. */
async function startCollector(t: ExecutionContext) {
  const folder = await mkdtemp(join(tmpdir(), 'roster-collector-'));
  const port = await freePort();
  const output = join(folder, 'traces.json');
  const page = await readFile(join(root, 'deploy/running.md'), 'utf8');
  const configuration = /```yaml\n(receivers:.*?)```/s.exec(page)![1]!;
  const file = join(folder, 'collector.yaml');
  await writeFile(file, configuration);
  const child = spawn(
    command,
    [
      `--config=${file}`,
      `--set=receivers.otlp.protocols.http.endpoint=127.0.0.1:${port}`,
      `--set=exporters.file.path=${output}`,
      '--set=service.telemetry.metrics.level=none',
    ],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  );
  let errors = '';
  child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()));
  const exited = once(child, 'exit');
  t.teardown(async () => {
    child.kill();
    await exited;
    await rm(folder, { recursive: true, force: true });
  });
  await eventually(() => {
    if (child.exitCode !== null) throw new Error(errors);
    return accepts(port);
  });
  return {
    url: `http://127.0.0.1:${port}`,
    async spans(): Promise<CollectedSpan[]> {
      const lines = (await readFile(output, 'utf8')).split('\n').slice(0, -1);
      return lines.flatMap((line) => (JSON.parse(line) as Exported).resourceSpans.flatMap(spansIn));
    },
  };
}

const spansIn = ({ resource, scopeSpans }: Exported['resourceSpans'][number]): CollectedSpan[] => {
  const name = resource.attributes.find(({ key }) => key === 'service.name');
  return scopeSpans.flatMap(({ spans }) =>
    spans.map((span) => ({
      ...{ parentSpanId: '', attributes: [], links: [] },
      ...span,
      service: name?.value.stringValue,
    })),
  );
};

function accepts(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  return new Promise<boolean>((resolve) => {
    socket.on('connect', () => resolve(true));
    socket.on('error', () => resolve(false));
  }).finally(() => socket.destroy());
}
