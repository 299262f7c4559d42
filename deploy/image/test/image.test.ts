/** Builds the image from the Dockerfile on a substitute base, which requires no container registry, and runs it. */
import { createHash, createHmac } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { startNats, startPostgres } from '@roster/embedded';
import { ClosedSystem } from '@roster/local/closed-system';
import { eventually, temporaryDirectory } from '@roster/testing';
import test, { type ExecutionContext } from 'ava';

import { buildImage, openWorkshop, root, type Workshop } from './image-under-test.js';
import { confined, Pod } from './pod.js';
import { startReceiver } from './start-receiver.js';

const image = 'localhost/roster-test:dev';
const addedBytesMax = 40e6;
const processes = ['gateway', 'contacts', 'users', 'webhooks', 'dispatcher'] as const;

const opened = await openWorkshop();
if ('missing' in opened) console.log(`Tests of the image are skipped: ${opened.missing}`);
const { podman, base } = opened as Workshop;
const imageTest = 'missing' in opened ? test.skip : test.serial;

if (!('missing' in opened)) {
  test.before(async (t) => {
    t.timeout(900_000);
    t.log((await buildImage(opened, 'roster-test')).trim().split('\n').at(-1));
  });
  test.after.always(() => podman.discard());
}

imageTest(
  'the image adds only the bundles, their licences and the launcher to its base',
  async (t) => {
    const ofBase = new Set(await podman.filesOf(base));
    const added = (await podman.filesOf(image)).filter((file) => !ofBase.has(file)).toSorted();
    const bundles = [...processes, 'operator', 'recorder', 'roster'].flatMap((name) => [
      `${name}.js`,
      `${name}.js.map`,
    ]);
    t.deepEqual(
      added.filter((file) => !/^app\/bundles\/(?:commands|node_modules)\//.test(file)),
      [
        'app/',
        'app/LICENSE',
        'app/THIRD_PARTY_LICENCES',
        'app/bundles/',
        ...bundles.map((file) => `app/bundles/${file}`).toSorted(),
        'app/node-flags',
        'app/sbom.cdx.json',
        'usr/local/bin/roster',
      ].toSorted(),
    );
    t.deepEqual(
      added.filter((file) => /^app\/bundles\/node_modules\/.*[^/]$/.test(file)),
      [
        ...readdirSync(join(root, 'pages/console/dist'), { recursive: true, withFileTypes: true })
          .filter((one) => one.isFile())
          .map((one) => join(one.parentPath, one.name).split('/pages/console/')[1]!)
          .map((file) => `@roster/console/${file}`)
          .concat('@roster/console/package.json')
          .toSorted(),
        '@roster/docs/dist/docs.js',
        '@roster/docs/dist/guides.json',
        '@roster/docs/dist/inter.woff2',
        '@roster/docs/dist/pages.css',
        '@roster/docs/dist/search.js',
        '@roster/docs/package.json',
        'graphiql/graphiql.min.css',
        'graphiql/graphiql.min.js',
        'graphiql/package.json',
        'graphql-sse/package.json',
        'graphql-sse/umd/graphql-sse.min.js',
        'react-dom/package.json',
        'react-dom/umd/react-dom.production.min.js',
        'react/package.json',
        'react/umd/react.production.min.js',
      ].map((file) => `app/bundles/node_modules/${file}`),
    );
  },
);

imageTest('the image adds at most 40 MB to its base, and is labelled', async (t) => {
  const inspected = async (name: string) =>
    (JSON.parse(await podman.do('image', 'inspect', name)) as Inspected[])[0]!;
  const [mine, its] = [await inspected(image), await inspected(base)];
  t.true(mine.Size - its.Size <= addedBytesMax, `${mine.Size - its.Size} bytes`);
  t.is(mine.Config.User, '65532:65532');
  t.deepEqual(mine.Config.Entrypoint, ['roster']);
  const { version, repository } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    version: string;
    repository?: unknown;
  };
  t.is(mine.Labels['org.opencontainers.image.version'], version);
  t.is(mine.Labels['org.opencontainers.image.title'], 'roster');
  for (const label of ['description', 'licenses', 'revision', 'created'])
    t.truthy(mine.Labels[`org.opencontainers.image.${label}`], label);
  t.is('org.opencontainers.image.source' in mine.Labels, repository !== undefined);
  const names = new Set(mine.Config.Env.map((variable) => variable.split('=')[0]));
  t.deepEqual(names, new Set(['PATH', 'NODE_ENV', 'MALLOC_ARENA_MAX']));
});

imageTest(
  'the image contains what npm start runs, byte by byte, and its files have the time of the commit: two builds of a commit are the same',
  async (t) => {
    const files = ['sbom.cdx.json', 'THIRD_PARTY_LICENCES'];
    for (const name of [...processes, 'operator', 'recorder', 'roster'])
      files.push(`bundles/${name}.js`, `bundles/${name}.js.map`);
    for (const name of readdirSync(join(root, 'deploy/image/dist/bundles/commands')))
      files.push(`bundles/commands/${name}`);
    const inImage = (command: string, ...args: string[]) =>
      podman.do(
        ...['run', '--rm', ...podman.runtime, '--network', 'none', '--workdir', '/app'],
        ...['--entrypoint', command, image, ...args],
      );
    const built = files.map((file) => {
      const bytes = readFileSync(join(root, 'deploy/image/dist', file));
      return `${createHash('sha256').update(bytes).digest('hex')}  ${file}`;
    });
    t.deepEqual((await inImage('sha256sum', ...files)).split('\n'), built);
    const [{ Labels }] = JSON.parse(await podman.do('image', 'inspect', image)) as [Inspected];
    const seconds = Date.parse(Labels['org.opencontainers.image.created']!) / 1000;
    const times = await inImage('find', '/app', '/usr/local/bin/roster', '-printf', '%Ts\\n');
    t.deepEqual([...new Set(times.split('\n'))], [`${seconds}`]);
  },
);

for (const name of processes) {
  imageTest(`${name} exits with one error that names the missing variables`, async (t) => {
    const error = await t.throwsAsync<Error & { code: number; stderr: string }>(
      podman.do('run', '--rm', ...podman.runtime, '--network', 'none', ...confined, image, name),
    );
    t.is(error?.code, 78);
    t.regex(error?.stderr ?? '', new RegExp(`^${name}: .*\\n.*NATS_URL`));
  });
}

imageTest(
  'five containers of a pod serve a create, a query and a verified delivery, and exit on SIGTERM',
  async (t) => {
    t.timeout(300_000);
    const receiver = await startReceiver(t);
    const pod = await Pod.create(t, podman, image);
    const closed = new ClosedSystem(await temporaryDirectory(t));
    const running = await startProcesses(t, pod, closed);
    const baseUrl = `http://127.0.0.1:${running[0]!.port}`;
    const post = await clientOf(t, pod, closed, baseUrl);
    const token = 'a-token-of-the-test';
    await post('/v1/webhooks', { url: receiver.url, events: ['CONTACT_CREATED'], token });
    const { contact } = await post<{ contact: { id: string } }>('/v1/contacts', {
      email: 'ada@example.com',
    });
    const { data } = await post<{ data: object }>('/graphql', {
      query: 'query ($id: ID!) { contact(id: $id) { email } }',
      variables: { id: contact.id },
    });
    t.deepEqual(data, { contact: { email: 'ada@example.com' } });
    const { headers, body } = await eventually(() => receiver.received[0], { timeoutMs: 60_000 });
    t.is(headers['x-roster-signature'], createHmac('sha256', token).update(body).digest('hex'));
    t.true(body.includes(contact.id));
    for (const asset of assets) t.is((await fetch(`${baseUrl}${asset}`)).status, 200, asset);

    await pod.stop(processes);
    t.deepEqual(await Promise.all(running.map(({ exited }) => exited)), [0, 0, 0, 0, 0]);
  },
);

const assets = [
  ...['react.js', 'react-dom.js', 'graphql-sse.js', 'graphiql.js', 'graphiql.css'].map(
    (name) => `/graphql/assets/${name}`,
  ),
  '/docs',
  '/docs/assets/docs.js',
  '/docs/assets/search.json',
  '/console/contacts',
  '/console/boot.js',
];

/** Migrates a new database, and starts every process on it. Resolves when all are ready. */
async function startProcesses(t: ExecutionContext, pod: Pod, closed: ClosedSystem) {
  const home = await temporaryDirectory(t);
  const postgres = await startPostgres({ dataDir: join(home, 'postgres'), durable: false });
  t.teardown(() => postgres.stop());
  const nats = await startNats({ dataDir: join(home, 'nats'), users: closed.natsUsers });
  t.teardown(() => nats.stop());
  const urls = await closed.createRoles(postgres.url);
  const env = {
    ALLOW_HTTP: 'true',
    ALLOW_TARGETS: '127.0.0.0/8',
    GRAPHIQL: 'true',
    ADMIN_PORT: '0',
    PORT: '0',
  };
  const environmentOf = (name: (typeof processes)[number]) => {
    // A container does not see the file with its seed.
    const { NATS_NKEY_SEED_FILE: file, ...own } = closed.environmentOf(name, nats.url);
    return { ...own, NATS_NKEY_SEED: readFileSync(file!, 'utf8').trim(), ...env };
  };
  await podman.do(
    ...['run', '--rm', '--network', 'host', ...podman.runtime, ...confined],
    ...['--env', `DATABASE_URL=${urls.migrate}`, image, 'migrate'],
  );
  const running = await Promise.all(
    processes.map((name) => pod.start(t, name, environmentOf(name))),
  );
  for (const { name, adminPort } of running) {
    await eventually(
      async () => (await fetch(`http://127.0.0.1:${adminPort}/readyz`)).status === 200,
      { timeoutMs: 60_000, describe: `${name} to be ready` },
    );
    // The launcher replaced itself with Node by exec, as an unprivileged user.
    t.regex(await pod.exec(name, ['cat', '/proc/1/cmdline']), /^node\0/);
    t.regex(await pod.exec(name, ['cat', '/proc/1/status']), /^Uid:\t65532\t65532\t65532\t65532$/m);
  }
  return running;
}

/** Sends POST requests with the key of a new workspace, which the command line in the pod creates. */
async function clientOf(t: ExecutionContext, pod: Pod, closed: ClosedSystem, baseUrl: string) {
  const { nkeySeedFile } = closed.operator.credentials;
  const workspace = JSON.parse(
    await pod.exec(
      'users',
      [
        ...['roster', 'workspace', 'create', '--name', 'Image'],
        ...['--owner-email', 'owner@example.com', '--owner-name', 'Owner'],
      ],
      { NATS_NKEY_SEED: readFileSync(nkeySeedFile, 'utf8').trim() },
    ),
  ) as { apiKey: string };
  return async <Body>(path: string, body: object) => {
    const response = await fetch(baseUrl + path, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${workspace.apiKey}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify(body),
    });
    t.true(response.ok, `${path}: ${response.status}`);
    return (await response.json()) as Body;
  };
}

// A second build installs every package again. Without it, the files are compared with those of this machine's build.
if (process.env['ROSTER_IMAGE_TWICE'])
  imageTest('two builds of a commit have the same layers', async (t) => {
    t.timeout(900_000);
    await buildImage(opened as Workshop, 'roster-test-again');
    const layers = async (name: string) =>
      (JSON.parse(await podman.do('image', 'inspect', name)) as Inspected[])[0]!.RootFS.Layers;
    t.deepEqual(await layers('localhost/roster-test-again:dev'), await layers(image));
  });

interface Inspected {
  Size: number;
  Labels: Record<string, string>;
  Config: { User: string; Entrypoint: string[]; Env: string[] };
  RootFS: { Layers: string[] };
}
