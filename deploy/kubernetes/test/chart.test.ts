/** The chart contains what kustomize builds, whichever components are chosen. */
import { execFile } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

import {
  generateChart,
  objectsWith,
  plainNames,
  valueName,
  type Chart,
} from '@roster/kubernetes/chart';
import { findKustomize } from '@roster/kubernetes/kustomize';
import { temporaryDirectory } from '@roster/testing';
import test, { type ExecutionContext } from 'ava';
import { Ajv } from 'ajv';
import { parse } from 'yaml';

import { buildVariant } from './build/build-variant.js';
import { Manifests } from './build/manifests.js';
import {
  componentNames,
  kubernetesDirectory,
  variant,
  variants,
  type Variant,
} from './build/variants.js';

const run = promisify(execFile);
const kustomize = await findKustomize();
const helm = process.env.HELM ?? 'helm';
const hasHelm = await run(helm, ['version']).then(
  () => true,
  () => false,
);
if (!hasHelm)
  console.log(
    'The chart is not rendered: there is no Helm (HELM, or on the PATH). Its structure is compared.',
  );

let chart: Chart;

test.before(async () => {
  if (!kustomize) return;
  const built = async (components: readonly string[]) =>
    (await buildVariant(kustomize, variant('base', components))).all;
  const page = join(kubernetesDirectory, '../environment.md');
  chart = await generateChart({
    build: built,
    components: componentNames,
    version: '1.2.3',
    description: 'Contacts.',
    image: { repository: 'roster' },
    environmentPage: await readFile(page, 'utf8'),
  });
});

const ofBase = variants().filter(
  ({ resource, components }) => resource === 'base' && components.length > 0,
);
const testChart = kustomize ? test : test.skip;

for (const one of ofBase)
  testChart(`contains what kustomize builds of ${one.name}`, async (t) => {
    const expected = plainNames((await buildVariant(kustomize!, one)).all);
    const actual = objectsWith(chart, new Set(one.components));
    t.deepEqual(comparable(actual), comparable(expected.map(({ manifest }) => manifest)));
    if (hasHelm) await compareRendered(t, one);
  });

testChart(
  'its default values are those of its schema, which refuses variables that the process does not have',
  (t) => {
    const ajv = new Ajv({ strict: false });
    const accepts = ajv.compile(JSON.parse(chart.files.get('values.schema.json')!) as object);
    const values = () =>
      parse(chart.files.get('values.yaml')!) as Record<string, Record<string, unknown>>;
    t.true(accepts(values()), JSON.stringify(accepts.errors));
    const refused = (change: (all: ReturnType<typeof values>) => void) => {
      const all = values();
      change(all);
      return !accepts(all);
    };
    t.false(refused(({ gateway }) => (gateway!.config = { LOG_LEVEL: 'debug' })));
    t.true(refused(({ gateway }) => (gateway!.config = { LOG_LEVLE: 'debug' })));
    t.true(refused(({ gateway }) => (gateway!.config = { ATTEMPTS_MAX: '5' })));
    t.true(refused(({ dispatcher }) => (dispatcher!.config = { ATTEMPTS_MAX: 5 })));
    t.true(refused(({ users }) => (users!.replicas = 0)));
    t.true(refused(({ image }) => (image!.tag = 'Not_A_Tag')));
    t.true(refused(({ components }) => (components!.natss = true)));
  },
);

async function compareRendered(t: ExecutionContext, one: Variant): Promise<void> {
  const folder = await chartFolder(t);
  const components = one.components.map((name) => ['--set', `components.${valueName(name)}=true`]);
  const { stdout } = await run(
    helm,
    [
      'template',
      'roster',
      folder,
      '--namespace',
      'roster',
      '--kube-version',
      '1.32.0',
      '--set',
      'createNamespace=true',
      ...components.flat(),
    ],
    { maxBuffer: 64 * 1024 * 1024 },
  );
  const { all } = Manifests.parse(stdout);
  const expected = plainNames((await buildVariant(kustomize!, one)).all);
  t.deepEqual(comparable(all), comparable(expected.map(({ manifest }) => manifest)));
}

/** In the same order, without the tag of the image and the checksums of ConfigMaps. */
function comparable(manifests: readonly object[]): object {
  const entries = manifests.map((manifest) => {
    const plain = JSON.parse(
      JSON.stringify(sortedLists(manifest))
        .replaceAll('"roster:1.2.3"', '"roster"')
        .replaceAll(/"migrate-(TAG|1\.2\.3)"/g, '"migrate"')
        .replaceAll(/"checksum\/[\w-]+":"[0-9a-f]{64}",?/g, '')
        .replaceAll(/"annotations":\{\},?/g, ''),
    ) as { kind: string; metadata: { name: string } };
    return [`${plain.kind} ${plain.metadata.name}`, plain] as const;
  });
  const names = entries.map(([name]) => name);
  if (new Set(names).size < names.length) throw new Error(`Twice: ${names.join(', ')}`);
  return Object.fromEntries(entries.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** Kubernetes takes named items in any order; kustomize puts those of the last component first. */
function sortedLists(value: unknown): unknown {
  if (Array.isArray(value)) {
    const all = value.map((one) => sortedLists(one));
    const name = (one: unknown) => {
      const { mountPath, name: own } = (one ?? {}) as { mountPath?: string; name?: string };
      return mountPath ?? own;
    };
    return all.every((one) => name(one) !== undefined)
      ? all.toSorted((a, b) => (name(a)! < name(b)! ? -1 : 1))
      : all;
  }
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, sortedLists(one)]));
}

async function chartFolder(t: ExecutionContext): Promise<string> {
  const folder = await temporaryDirectory(t);
  for (const [path, text] of chart.files) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  return folder;
}
