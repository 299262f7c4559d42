import { execFile } from 'node:child_process';
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { gunzipSync } from 'node:zlib';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import { makeRelease, type Release } from '@roster/release';
import {
  digestOf,
  mediaTypes,
  parseReference,
  Registry,
  type Manifest,
} from '@roster/release/registry';
import { sign } from '@roster/release/sign';
import { gzip, tar } from '@roster/release/tar';
import { temporaryDirectory } from '@roster/testing';
import test, { type ExecutionContext } from 'ava';

import { MinimalRegistry } from './minimal-registry.js';

const run = promisify(execFile);
const repository = fileURLToPath(new URL('../../../../', import.meta.url));
const registry = new Registry();

const cosign = process.env.COSIGN ?? 'cosign';
const helm = process.env.HELM ?? 'helm';
const [hasCosign, hasHelm] = await Promise.all([cosign, helm].map(isInstalled));
for (const [name, found] of Object.entries({ cosign: hasCosign, helm: hasHelm }))
  if (!found)
    console.log(
      `A test of the release is skipped: there is no ${name} (${name.toUpperCase()}, or on the PATH).`,
    );

test('an image for two platforms has the layers of its base, and one that both share', async (t) => {
  const { release, to } = await prepare(t);
  await makeRelease(release);
  const { manifest: index } = (await registry.readManifest(to, '1.2.3'))!;
  t.deepEqual(
    index.manifests!.map(({ platform }) => platform),
    [
      { os: 'linux', architecture: 'amd64' },
      { os: 'linux', architecture: 'arm64' },
    ],
  );
  const layers = await Promise.all(
    index.manifests!.map(async ({ digest, platform }) => {
      const { manifest } = (await registry.readManifest(to, digest))!;
      const config = JSON.parse(
        (await registry.readBlob(to, manifest.config!)).toString(),
      ) as Record<string, unknown>;
      t.is(config.architecture, platform!.architecture);
      t.like(config.config, {
        Env: ['PATH=/bin', 'NODE_ENV=production', 'MALLOC_ARENA_MAX=1'],
        User: '65532:65532',
        WorkingDir: '/app',
        Entrypoint: ['roster'],
        Cmd: ['--help'],
      });
      const unpacked = await Promise.all(
        manifest.layers!.map(async (layer) => gunzipSync(await registry.readBlob(to, layer))),
      );
      t.deepEqual(config.rootfs, { type: 'layers', diff_ids: unpacked.map(digestOf) });
      t.true(unpacked[0]!.includes(platform!.architecture));
      return manifest.layers![1]!.digest;
    }),
  );
  t.is(layers[0], layers[1]);
});

test('the layer has the files that the Dockerfile copies, owned by root, with the time of the commit', async (t) => {
  const { release, to, root } = await prepare(t);
  await makeRelease(release);
  const { manifest: index } = (await registry.readManifest(to, '1.2.3'))!;
  const { manifest } = (await registry.readManifest(to, index.manifests![0]!.digest))!;
  const archive = join(root, 'layer.tgz');
  await writeFile(archive, await registry.readBlob(to, manifest.layers!.at(-1)!));
  const { stdout } = await run('tar', ['-tvzf', archive, '--numeric-owner', '--utc']);
  const dockerfile = await readFile(join(root, 'deploy/image/Dockerfile'), 'utf8');
  const [, copied] = /cp -r (.*) \/out\/app\//.exec(dockerfile)!;
  for (const path of copied!.split(' ')) {
    const name = path.split('/').at(-1)!;
    t.regex(stdout, new RegExp(`2023-11-14 22:13 app/${name.replaceAll('.', '\\.')}(/|$)`, 'm'));
  }
  t.regex(stdout, /^-rw-r--r-- 0\/0 .* app\/bundles\/gateway\.js$/m);
  t.regex(stdout, /^-rwxr-xr-x 0\/0 .* usr\/local\/bin\/roster$/m);
});

for (const knowsReferrers of [true, false])
  test(`SBOM and provenance refer to the image${knowsReferrers ? '' : ', also in registries without referrers'}`, async (t) => {
    const { release, to, root } = await prepare(t, { knowsReferrers });
    const { image } = await makeRelease(release);
    const digest = image.split('@')[1]!;
    const found = await registry.referrers(to, digest);
    const content = async (type: string) => {
      const { digest: of } = found.find(({ artifactType }) => artifactType === type)!;
      const { manifest } = (await registry.readManifest(to, of))!;
      t.is(manifest.subject!.digest, digest);
      return registry.readBlob(to, manifest.layers![0]!);
    };
    t.is(found.length, 2);
    const sbom = await content('application/vnd.cyclonedx+json');
    t.deepEqual(sbom, await readFile(join(root, 'deploy/image/dist/sbom.cdx.json')));
    const statement = JSON.parse(
      (await content('application/vnd.in-toto+json')).toString(),
    ) as object;
    t.like(statement, {
      _type: 'https://in-toto.io/Statement/v1',
      predicateType: 'https://slsa.dev/provenance/v1',
      subject: [{ name: release.image, digest: { sha256: digest.slice(7) } }],
    });
    t.true(JSON.stringify(statement).includes('"gitCommit":"c0ffee"'));
  });

test('a release that is repeated writes the same bytes, and a version with other bytes is refused', async (t) => {
  const { release, server } = await prepare(t);
  const first = await makeRelease(release);
  const manifests = [...server.manifests.keys()].toSorted();
  t.deepEqual(await makeRelease(release), first);
  t.deepEqual([...server.manifests.keys()].toSorted(), manifests);

  const tagged = () => [...server.manifests].filter(([name]) => name.endsWith(':1.2.3'));
  const before = tagged();
  t.is(before.length, 3);
  await t.throwsAsync(makeRelease({ ...release, seconds: release.seconds + 1 }), {
    message: /roster:1\.2\.3 is there with other contents .* Raise the version\.$/,
  });
  t.deepEqual(tagged(), before);
});

test('the manifests name the image of the release by its digest', async (t) => {
  const { release, to, root } = await prepare(t);
  const { image, manifests } = await makeRelease(release);
  const from = { ...to, path: 'example/manifests/roster' };
  t.is(manifests.split('@')[0], `${to.host}/${from.path}`);
  const { manifest } = (await registry.readManifest(from, '1.2.3'))!;
  t.is(manifest.config!.mediaType, 'application/vnd.cncf.flux.config.v1+json');
  const archive = join(root, 'manifests.tgz');
  await writeFile(archive, await registry.readBlob(from, manifest.layers![0]!));
  const { stdout } = await run('tar', ['-xzOf', archive, 'overlays/production/kustomization.yaml']);
  const [name, digest] = image.split('@');
  t.true(stdout.includes(`newName: ${name}\n    newTag: 1.2.3\n    digest: ${digest}\n`));
  t.true(stdout.includes("delimiter: ':', index: 2"), 'the registry has a port');
});

test('a base image with other bytes than its digest says is refused', async (t) => {
  const { release, server } = await prepare(t);
  for (const [digest, bytes] of server.blobs)
    if (bytes.includes('"architecture"')) server.blobs.set(digest, Buffer.from('{}'));
  await t.throwsAsync(makeRelease(release), { message: /has other bytes/ });
});

test('names of images are those that other clients know', (t) => {
  const hub = 'registry-1.docker.io';
  t.deepEqual(parseReference('node:24'), { host: hub, path: 'library/node', reference: '24' });
  t.deepEqual(parseReference('docker.io/library/node:24'), {
    host: hub,
    path: 'library/node',
    reference: '24',
  });
  t.deepEqual(parseReference('me/roster'), { host: hub, path: 'me/roster', reference: 'latest' });
  t.deepEqual(parseReference('localhost:5000/roster'), {
    host: 'localhost:5000',
    path: 'roster',
    reference: 'latest',
  });
  t.deepEqual(parseReference('example.com/a/b:1@sha256:ab'), {
    host: 'example.com',
    path: 'a/b',
    reference: 'sha256:ab',
  });
});

(hasCosign ? test : test.skip)(
  'cosign verifies image, chart, manifests and attestations with the public key only',
  async (t) => {
    const { release, root } = await prepare(t);
    process.env.COSIGN_PASSWORD = 'of-a-test';
    await run(cosign, ['generate-key-pair', '--output-key-prefix', join(root, 'one')]);
    await run(cosign, ['generate-key-pair', '--output-key-prefix', join(root, 'other')]);
    const published = await makeRelease(release);
    await sign(
      cosign,
      join(root, 'one.key'),
      published,
      join(root, 'deploy/image/dist/sbom.cdx.json'),
    );
    const verify = (key: string, command: string, ...args: string[]) =>
      run(cosign, [
        command,
        '--key',
        join(root, `${key}.pub`),
        '--insecure-ignore-tlog=true',
        ...args,
      ]);
    for (const one of [published.image, published.chart, published.manifests])
      await t.notThrowsAsync(verify('one', 'verify', one));
    for (const type of ['slsaprovenance1', 'cyclonedx'])
      await t.notThrowsAsync(verify('one', 'verify-attestation', '--type', type, published.image));
    await t.throwsAsync(verify('other', 'verify', published.image));
  },
);

(hasHelm ? test : test.skip)(
  'helm pulls the chart, which names the image by its digest',
  async (t) => {
    const { release, root } = await prepare(t);
    const { image, chart } = await makeRelease(release);
    const [name] = chart.split('@');
    await run(helm, [
      'pull',
      `oci://${name}`,
      '--version',
      '1.2.3',
      '--plain-http',
      '--untar',
      '--destination',
      root,
    ]);
    const values = await readFile(join(root, 'roster/values.yaml'), 'utf8');
    const [repositoryOfImage, digest] = image.split('@');
    t.true(
      values.includes(`repository: ${repositoryOfImage}\n`) &&
        values.includes(`digest: ${digest}\n`),
    );
  },
);

async function isInstalled(program: string): Promise<boolean> {
  return run(program, ['version']).then(
    () => true,
    () => false,
  );
}

/** A registry with a base image, and a repository whose bundles are small. */
async function prepare(t: ExecutionContext, options?: { knowsReferrers: boolean }) {
  const server = await MinimalRegistry.start(options);
  t.teardown(() => server.stop());
  const root = await temporaryDirectory(t);
  const copied = [
    'LICENSE',
    'deploy/node-flags',
    'deploy/environment.md',
    'deploy/image/roster',
    'deploy/image/Dockerfile',
    'deploy/kubernetes/overlays',
  ];
  for (const path of copied)
    await cp(join(repository, path), join(root, path), { recursive: true });
  await mkdir(join(root, 'deploy/image/dist/bundles'), { recursive: true });
  for (const path of ['bundles/gateway.js', 'sbom.cdx.json', 'THIRD_PARTY_LICENCES'])
    await writeFile(join(root, 'deploy/image/dist', path), `{"of":"${path}"}`);
  await writeFile(join(root, 'package-lock.json'), '{}');
  const base = { host: server.host, path: 'node' };
  await writeBase(base);
  const to = { host: server.host, path: 'example/roster' };
  const release: Release = {
    registry,
    image: `${to.host}/${to.path}`,
    base: `${base.host}/${base.path}:24`,
    platforms: ['linux/amd64', 'linux/arm64'],
    version: '1.2.3',
    description: 'Contacts.',
    source: undefined,
    revision: 'c0ffee',
    seconds: 1_700_000_000,
    root,
    build: async () => [
      {
        apiVersion: 'v1',
        kind: 'Service',
        metadata: {
          name: 'gateway',
          annotations: { 'config.kubernetes.io/origin': 'path: base/gateway/service.yaml\n' },
        },
      },
    ],
    components: ['single-node', 'nats', 'postgres', 'external-nats', 'external-postgres', 'keda'],
    print: (line) => t.log(line),
  };
  return { release, to, root, server };
}

/** With the types of Docker, as Docker Hub has them. */
async function writeBase(to: { host: string; path: string }): Promise<void> {
  const docker = 'application/vnd.docker';
  const manifests: Manifest['manifests'] = [];
  for (const architecture of ['arm64', 'amd64', 's390x']) {
    const layer = tar([{ path: 'etc/machine', bytes: Buffer.from(architecture) }], 0);
    const config = {
      architecture,
      os: 'linux',
      config: { Env: ['PATH=/bin'], Cmd: ['node'] },
      rootfs: { type: 'layers', diff_ids: [digestOf(layer)] },
    };
    const written = await registry.writeManifest(to, {
      schemaVersion: 2,
      mediaType: `${docker}.distribution.manifest.v2+json`,
      config: await registry.writeBlob(
        to,
        `${docker}.container.image.v1+json`,
        Buffer.from(JSON.stringify(config)),
      ),
      layers: [await registry.writeBlob(to, `${docker}.image.rootfs.diff.tar.gzip`, gzip(layer))],
    });
    manifests.push({ ...written, platform: { os: 'linux', architecture } });
  }
  const index = { schemaVersion: 2 as const, mediaType: mediaTypes.index, manifests };
  await registry.writeManifest(to, index, '24');
}
