/**
 * The names of the packages that package-lock.json asks for and node_modules lacks or has in another version.
 *
 * @param asked `packages` of package-lock.json
 * @param there `packages` of node_modules/.package-lock.json
 * @param needs 'roster', or 'tests' for the devDependencies as well
 */
export function missingPackages(asked, there, needs) {
  return Object.entries(asked)
    .filter(([path, { dev }]) => path.includes('node_modules/') && !(dev && needs === 'roster'))
    .filter(([path, wanted]) => (there[path] ? !isSame(wanted, there[path]) : !mayBeAbsent(wanted)))
    .map(([path]) => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length));
}

/** Whether node_modules has packages that only tests and checks need. */
export const hasDevPackages = (there) => Object.values(there).some(({ dev }) => dev);

const isSame = ({ link, version }, { version: installed }) => link || version === installed;

function mayBeAbsent({ optional, devOptional, os, cpu, libc }) {
  const forThisPlatform = os?.includes(process.platform) && cpu?.includes(process.arch) && !libc;
  return (optional || devOptional) && !forThisPlatform;
}
