/**
 * The packages of package-lock.json that are missing in node_modules or have another version there.
 *
 * @param locked `packages` of package-lock.json
 * @param installed `packages` of node_modules/.package-lock.json
 * @param needs 'roster', or 'tests' for the devDependencies as well
 */
export function missingPackages(locked, installed, needs) {
  return Object.entries(locked)
    .filter(([path, { dev }]) => path.includes('node_modules/') && !(dev && needs === 'roster'))
    .filter(([path, entry]) =>
      installed[path] ? !isSame(entry, installed[path]) : !mayBeAbsent(entry),
    )
    .map(([path, entry]) => ({
      name: path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length),
      dev: Boolean(entry.dev),
      omitted: isOptional(entry) && !installed[path],
      engine: entry.engines?.node,
    }));
}

/** Whether node_modules contains packages that only tests and checks need. */
export const hasDevPackages = (installed) => Object.values(installed).some(({ dev }) => dev);

/** One line that describes the installation. npm omits an optional package that requires a newer Node. */
export function announcement(installed, missing) {
  if (Object.keys(installed).length === 0) return 'Installing dependencies…';
  const [first, ...others] = missing;
  if (!first) return 'Installing Node…';
  if (!hasDevPackages(installed) && missing.every(({ dev }) => dev)) {
    return 'Installing the dependencies of tests and checks…';
  }
  if (others.length > 0) return `Installing ${first.name} and ${others.length} more…`;
  const cause = first.engine ? ` (requires Node ${first.engine})` : '';
  return `Installing ${first.name}${first.omitted ? `, omitted by npm${cause}` : ''}…`;
}

const isSame = ({ link, version }, { version: installed }) => link || version === installed;

const isOptional = ({ optional, devOptional }) => Boolean(optional || devOptional);

function mayBeAbsent(entry) {
  const { os, cpu, libc } = entry;
  const forThisPlatform = os?.includes(process.platform) && cpu?.includes(process.arch) && !libc;
  return isOptional(entry) && !forThisPlatform;
}
