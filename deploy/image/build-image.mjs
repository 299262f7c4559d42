/**
 * `npm run image`: builds the image with docker, podman or buildah. Plain JavaScript, because it requires no
 * installed packages.
 *
 *   IMAGE_BUILDER     docker, podman or buildah; default: the first that works
 *   BASE_IMAGE        replaces the base image of the Dockerfile
 *   IMAGE_NAME        default: roster
 *   IMAGE_FILE        default: the Dockerfile beside this file
 *   IMAGE_BUILD_ARGS  additional arguments for the builder, separated by spaces: --network host, --volume …
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
const {
  BASE_IMAGE,
  IMAGE_BUILDER,
  IMAGE_BUILD_ARGS = '',
  IMAGE_FILE = 'deploy/image/Dockerfile',
  IMAGE_NAME = 'roster',
} = process.env;
const { version, description, license, repository } = JSON.parse(
  readFileSync(`${root}/package.json`, 'utf8'),
);

/** A command that succeeds if the builder can build on this machine: the client of Docker alone cannot. */
const probes = {
  docker: ['version', '--format', '{{.Server.Version}}'],
  podman: ['--version'],
  buildah: ['--version'],
};

const builder = chooseBuilder();
if (!builder) {
  console.error(
    IMAGE_BUILDER
      ? `${IMAGE_BUILDER} cannot build images on this machine.`
      : `Building the image requires docker, podman or buildah. None of them works on this machine.`,
  );
  process.exit(1);
}

const { revision, seconds } = commit();
const tags = [`${IMAGE_NAME}:${version}`, `${IMAGE_NAME}:dev`];
const values = {
  ...(BASE_IMAGE ? { BASE_IMAGE } : {}),
  SOURCE_DATE_EPOCH: seconds,
  TITLE: 'roster',
  DESCRIPTION: description,
  LICENSES: license,
  VERSION: version,
  REVISION: revision,
  CREATED: new Date(seconds * 1000).toISOString(),
};
const source = sourceUrl(repository);
const { status } = spawnSync(
  builder,
  [
    'build',
    '--file',
    IMAGE_FILE,
    // Docker takes the time of the files from SOURCE_DATE_EPOCH.
    ...(builder === 'docker' ? [] : ['--timestamp', String(seconds)]),
    ...tags.flatMap((tag) => ['--tag', tag]),
    ...Object.entries(values).flatMap(([key, value]) => ['--build-arg', `${key}=${value}`]),
    // The Dockerfile can set a label to an empty value, but not omit it.
    ...(source ? ['--label', `org.opencontainers.image.source=${source}`] : []),
    ...IMAGE_BUILD_ARGS.split(/\s+/).filter(Boolean),
    '.',
  ],
  { cwd: root, stdio: 'inherit' },
);
if (status !== 0) process.exit(status ?? 1);
console.log(`${tags.join(', ')}: ${describe(tags[0])}`);

function chooseBuilder() {
  const candidates = IMAGE_BUILDER ? [IMAGE_BUILDER] : Object.keys(probes);
  return candidates.find(
    (one) => probes[one] && spawnSync(one, probes[one], { stdio: 'ignore' }).status === 0,
  );
}

/**
 * The URL of the source code, from package.json's `repository`: `git+https://…`, an object with such a `url`, or
 * `owner/name`.
 */
function sourceUrl(repository) {
  const url = typeof repository === 'object' ? repository?.url : repository;
  return url
    ?.replace(/^git\+(?=https?:)/, '')
    .replace(/^(?:github:)?(?=[^/:]+\/[^/:]+$)/, 'https://github.com/')
    .replace(/\.git$/, '');
}

/** The commit and its time: the same commit results in the same image. */
function commit() {
  try {
    const [revision, seconds] = git('log', '-1', '--format=%H %ct').split(' ');
    const changed = git('status', '--porcelain') !== '';
    return { revision: changed ? `${revision}-changed` : revision, seconds: Number(seconds) };
  } catch {
    return { revision: 'unknown', seconds: 0 };
  }
}

function git(...args) {
  const options = { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] };
  return execFileSync('git', args, options).trim();
}

/**
 * The ID of the image and, if the builder reports it, its size and the size it adds to its base: its own layers,
 * uncompressed.
 */
function describe(tag) {
  if (builder === 'buildah')
    return inspect(['inspect', '--type', 'image'], '{{.FromImageID}}', tag);
  const id = inspect(['image', 'inspect'], '{{.Id}}', tag);
  const size = sizeOf(tag);
  try {
    return `${id}, ${megabytes(size)}, of which ${megabytes(size - sizeOf(baseImage()))} more than the base`;
  } catch {
    // Docker may not keep the base as an image.
    return `${id}, ${megabytes(size)}`;
  }
}

function sizeOf(image) {
  return Number(inspect(['image', 'inspect'], '{{.Size}}', image));
}

function baseImage() {
  const dockerfile = readFileSync(`${root}/deploy/image/Dockerfile`, 'utf8');
  return BASE_IMAGE ?? /^ARG BASE_IMAGE=(.+)$/m.exec(dockerfile)[1];
}

function inspect(command, format, image) {
  return execFileSync(builder, [...command, '--format', format, image], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  }).trim();
}

function megabytes(bytes) {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}
