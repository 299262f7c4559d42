/**
 * Which package may depend on which. oxlint watches the imports (.oxlintrc.json); this watches what package.json files
 * declare. Run by Node as it stands, because the check must also work when nothing compiles.
 */
import { globSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** For packages below a directory: below which directories packages may be that they depend on. */
const mayUse: Record<string, readonly string[]> = {
  libs: ['libs'],
  services: ['libs'],
  gateway: ['libs'],
  deploy: ['libs'],
  test: ['libs', 'deploy'],
};

/** Packages that may depend on these and nothing else. */
const closed: Record<string, readonly string[]> = {
  // They do no I/O: whatever could do it for them stays out.
  'libs/contracts': ['zod'],
};

interface Package {
  name: string;
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
}

const packages = new Map<string, Package>();
for (const file of globSync('{libs,services,deploy}/*/package.json').concat(
  globSync('{gateway,test}/package.json'),
)) {
  packages.set(dirname(file), JSON.parse(readFileSync(file, 'utf8')) as Package);
}
const directoryOf = new Map([...packages].map(([directory, { name }]) => [name, directory]));

const problems = [...packages].flatMap(([directory, manifest]) => [
  ...wrongNeighbours(directory, manifest),
  ...strangers(directory, manifest),
]);
for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exitCode = 1;

function wrongNeighbours(directory: string, manifest: Package): string[] {
  const allowed = mayUse[area(directory)] ?? [];
  const { dependencies, devDependencies, optionalDependencies } = manifest;
  return Object.keys({ ...dependencies, ...devDependencies, ...optionalDependencies }).flatMap(
    (name) => {
      const target = directoryOf.get(name);
      if (target === undefined || allowed.includes(area(target))) return [];
      return [
        `${directory}/package.json: ${directory} must not depend on ${name}, which is in ${target}.`,
      ];
    },
  );
}

function strangers(directory: string, { dependencies, optionalDependencies }: Package): string[] {
  const allowed = closed[directory];
  if (!allowed) return [];
  return Object.keys({ ...dependencies, ...optionalDependencies })
    .filter((name) => !allowed.includes(name))
    .map((name) => `${directory}/package.json: ${directory} must not depend on ${name}.`);
}

function area(directory: string): string {
  return directory.split('/')[0] ?? '';
}
