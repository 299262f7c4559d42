import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { delimiter, dirname, join } from 'node:path';

import { announcement, hasDevPackages, missingPackages } from './missing-packages.mjs';
import { environmentFor, nodePackage, nodeVersion, pinnedNode, root } from './places.mjs';
import { runQuietly } from './run-quietly.mjs';

const lockFile = `${root}/package-lock.json`;
const installedFile = `${root}/node_modules/.package-lock.json`;
const stampFile = `${root}/node_modules/.roster-installed`;

/**
 * Installs the packages of package-lock.json that are missing. devDependencies, which only tests and checks need, are
 * the larger part: they are installed when a command first needs them, and kept.
 */
export async function install(needs) {
  requireNode();
  const installed = packagesOf(installedFile);
  const wanted = hasDevPackages(installed) ? 'tests' : needs;
  if (read(stampFile) === stamp(wanted)) return;
  const missing = missingPackages(packagesOf(lockFile), installed, wanted);
  if (missing.length > 0 || !existsSync(pinnedNode)) {
    console.error(announcement(installed, missing));
    // `npm ci` refuses a lock file that does not match the manifests. It also removes node_modules: packages that are
    // added to an installation are installed by `npm install`, from the lock file as well.
    const isFirst = Object.keys(installed).length === 0;
    const args = isFirst ? ['ci'] : ['install', '--no-save'];
    args.push('--include=optional', wanted === 'tests' ? '--include=dev' : '--omit=dev');
    const node = await installingNode();
    // npm trusts this list of installed packages. Without it, npm reads the packages themselves.
    rmSync(installedFile, { force: true });
    await npm('Installing dependencies', node, args, root);
    if (!existsSync(pinnedNode)) {
      throw new Error(
        `npm installed the dependencies without ${nodePackage} ${nodeVersion}: either the registry lacks it, or its checksum differs from package-lock.json.`,
      );
    }
  }
  writeFileSync(stampFile, stamp(wanted));
}

function requireNode() {
  const [major = ''] = nodeVersion.split('.');
  if (nodePackage || majorVersion(process.execPath) >= Number(major)) return;
  throw new Error(
    `package.json contains no build of Node for ${process.platform}-${process.arch}: install Node ${major}, and run this command with it.`,
  );
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
  const node = `${prefix}/node_modules/${nodePackage}/bin/node`;
  if (isPinned(node)) return node;
  if (isPinned(pinnedNode)) {
    mkdirSync(dirname(node), { recursive: true });
    copyFileSync(pinnedNode, node);
  } else {
    await installPinnedNode(prefix);
  }
  return node;
}

/** Installs Node alone, with the checksum of package-lock.json. */
async function installPinnedNode(prefix) {
  mkdirSync(prefix, { recursive: true });
  const path = `node_modules/${nodePackage}`;
  const { version, integrity } = packagesOf(lockFile)[path];
  const manifest = { private: true, dependencies: { [nodePackage]: version } };
  const packages = { '': manifest, [path]: { version, integrity } };
  writeFileSync(`${prefix}/package.json`, JSON.stringify(manifest));
  writeFileSync(
    `${prefix}/package-lock.json`,
    JSON.stringify({ lockfileVersion: 3, requires: true, packages }),
  );
  await npm(`Installing Node ${version}`, process.execPath, ['ci', '--prefix', prefix], prefix);
}

async function npm(what, node, args, cwd) {
  const cli = npmCli();
  const [command, ...first] = cli ? [node, cli] : ['npm'];
  const all = [...first, ...args, '--no-audit', '--no-fund', '--loglevel=error'];
  await runQuietly(what, command, all, { cwd, env: environmentFor(node) });
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

const isPinned = (node) => versionOf(node) === `v${nodeVersion}`;

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
