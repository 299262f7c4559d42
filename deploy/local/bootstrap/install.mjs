import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  writeFileSync,
} from 'node:fs';
import { delimiter, dirname, join } from 'node:path';

import { announcement, hasDevPackages, missingPackages } from './missing-packages.mjs';
import { environmentFor, pinnedNode, pinnedVersion, root } from './places.mjs';
import { runQuietly } from './run-quietly.mjs';

const lockFile = `${root}/package-lock.json`;
const installedFile = `${root}/node_modules/.package-lock.json`;
const stampFile = `${root}/node_modules/.roster-installed`;

/**
 * Installs the packages of package-lock.json that are missing. devDependencies, which only tests and checks need, are
 * the larger part: they are installed when a command first needs them, and kept.
 */
export async function install(needs) {
  const installed = packagesOf(installedFile);
  const wanted = hasDevPackages(installed) ? 'tests' : needs;
  if (read(stampFile) === stamp(wanted)) return;
  const missing = missingPackages(packagesOf(lockFile), installed, wanted);
  if (missing.length > 0 || !existsSync(pinnedNode)) {
    console.error(announcement(installed, missing));
    // Not `npm ci`: it removes node_modules first, and reinstalls every package.
    const args = ['install', '--no-save', '--include=optional'];
    args.push(wanted === 'tests' ? '--include=dev' : '--omit=dev');
    await npm('Installing dependencies', await installingNode(), args, root);
    if (!existsSync(pinnedNode)) {
      throw new Error(
        'npm installed the dependencies without Node: npm must be allowed to run install scripts (npm config get ignore-scripts).',
      );
    }
  }
  writeFileSync(stampFile, stamp(wanted));
}

function packagesOf(lock) {
  return JSON.parse(read(lock) ?? '{"packages":{}}').packages;
}

/** Changes with the needs, with package-lock.json, and when npm changes node_modules. */
function stamp(needs) {
  const hash = createHash('sha256').update(needs);
  for (const file of [lockFile, installedFile]) hash.update(read(file) ?? '').update('\0');
  return hash.digest('hex');
}

/**
 * The Node that runs npm. npm silently omits an optional package that requires a newer Node than the one npm runs on,
 * and the package of the NATS server requires 22. It is a copy, because npm may replace the Node in node_modules.
 */
async function installingNode() {
  const own = `${root}/node_modules/`;
  for (const node of [process.env.npm_node_execpath, process.execPath]) {
    if (node && !node.startsWith(own) && majorVersion(node) >= 22) return node;
  }
  const prefix = `${root}/.roster/node`;
  const node = `${prefix}/node_modules/node/bin/node`;
  if (isPinned(node)) return node;
  if (isPinned(pinnedNode)) {
    mkdirSync(dirname(node), { recursive: true });
    copyFileSync(pinnedNode, node);
  } else {
    await installPinnedNode(prefix);
  }
  return node;
}

async function installPinnedNode(prefix) {
  mkdirSync(prefix, { recursive: true });
  const manifest = '{ "private": true, "allowScripts": { "node": true } }\n';
  writeFileSync(join(prefix, 'package.json'), manifest);
  const target = ['--prefix', prefix, '--no-save', '--no-package-lock'];
  const args = ['install', ...target, `node@${pinnedVersion}`];
  await npm(`Installing Node ${pinnedVersion}`, process.execPath, args, prefix);
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

/** The JavaScript file of npm, to run it with a chosen Node; undefined where `npm` on the PATH is another program. */
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

const isPinned = (node) => versionOf(node) === `v${pinnedVersion}`;

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
