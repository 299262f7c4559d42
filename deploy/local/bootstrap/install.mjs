import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';

import { hasDevPackages, missingPackages } from './missing-packages.mjs';
import { environmentFor, pinnedNode, pinnedVersion, root } from './places.mjs';
import { runQuietly } from './run-quietly.mjs';

const lockFile = `${root}/package-lock.json`;
const installedFile = `${root}/node_modules/.package-lock.json`;
const stampFile = `${root}/node_modules/.roster-installed`;

/**
 * Installs the dependencies that package-lock.json names, unless they are there. What only tests and checks need
 * (devDependencies) is most of it: left out until something needs it, and kept from then on.
 */
export async function install(needs) {
  const there = packagesOf(installedFile);
  const wanted = hasDevPackages(there) ? 'tests' : needs;
  if (read(stampFile) === stamp(wanted)) return;
  const missing = missingPackages(packagesOf(lockFile), there, wanted);
  if (missing.length > 0 || !existsSync(pinnedNode)) {
    console.error(announcement(there, missing));
    // Not `npm ci`: it would begin by removing what is there, of which most can stay.
    const args = ['install', '--no-save', '--include=optional'];
    args.push(wanted === 'tests' ? '--include=dev' : '--omit=dev');
    await npm('Installing dependencies', await installingNode(), args, root);
    if (!existsSync(pinnedNode)) {
      throw new Error(
        'Installing dependencies left out Node itself: npm must be allowed to run install scripts (npm config get ignore-scripts).',
      );
    }
  }
  writeFileSync(stampFile, stamp(wanted));
}

function announcement(there, missing) {
  if (Object.keys(there).length === 0) return 'Installing dependencies (first run only)…';
  const [first = 'node', ...others] = missing;
  return `Installing missing dependencies: ${first}${others.length > 0 ? ` and ${others.length} more` : ''}…`;
}

function packagesOf(lock) {
  return JSON.parse(read(lock) ?? '{"packages":{}}').packages;
}

/** Changes with what is asked for, and whenever npm changes what is there. */
function stamp(needs) {
  const hash = createHash('sha256').update(needs);
  for (const file of [lockFile, installedFile]) hash.update(read(file) ?? '').update('\0');
  return hash.digest('hex');
}

/**
 * The Node to install with. npm skips an optional dependency without a word when it asks for a newer Node than the
 * one npm runs on, and the NATS server is one that asks for 22. And it must not be the one in node_modules, which
 * the installation replaces.
 */
async function installingNode() {
  const own = `${root}/node_modules/`;
  for (const node of [process.env.npm_node_execpath, process.execPath]) {
    if (node && !node.startsWith(own) && majorVersion(node) >= 22) return node;
  }
  const prefix = `${root}/.roster/node`;
  const node = `${prefix}/node_modules/node/bin/node`;
  if (!existsSync(node) || versionOf(node) !== `v${pinnedVersion}`) {
    mkdirSync(prefix, { recursive: true });
    writeFileSync(
      join(prefix, 'package.json'),
      '{ "private": true, "allowScripts": { "node": true } }\n',
    );
    const args = [
      'install',
      '--prefix',
      prefix,
      '--no-save',
      '--no-package-lock',
      `node@${pinnedVersion}`,
    ];
    await npm(`Installing Node ${pinnedVersion}`, process.execPath, args, prefix);
  }
  return node;
}

async function npm(what, node, args, cwd) {
  const cli = npmCli();
  const command = cli ? [node, cli] : ['npm'];
  await runQuietly(
    what,
    command[0],
    [...command.slice(1), ...args, '--no-audit', '--no-fund', '--loglevel=error'],
    {
      cwd,
      env: environmentFor(node),
    },
  );
}

/** npm's own program, to be run by a Node of choice; undefined where `npm` is a wrapper of another kind. */
function npmCli() {
  const { npm_execpath: given, PATH = '' } = process.env;
  if (given?.endsWith('npm-cli.js')) return given;
  const npm = PATH.split(delimiter)
    .map((directory) => join(directory, 'npm'))
    .find((file) => existsSync(file));
  const program = npm && realpathSync(npm);
  return program?.endsWith('npm-cli.js') ? program : undefined;
}

function majorVersion(node) {
  return Number(/^v(\d+)/.exec(versionOf(node))?.[1] ?? 0);
}

function versionOf(node) {
  if (node === process.execPath) return process.version;
  try {
    return execFileSync(node, ['--version'], { encoding: 'utf8' }).trim();
  } catch {
    return '';
  }
}

function read(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
