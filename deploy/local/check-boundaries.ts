/**
 * Which package may depend on which, and which room of a package on which. oxlint watches imports between packages, and that
 * none is circular (.oxlintrc.json); this watches what package.json files declare, and imports between rooms. Run by Node as it
 * stands, because the check must also work when nothing compiles.
 */
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

/** For packages in or below a directory, the closest of which counts: below which directories packages may be that they depend on. */
const mayUse: Record<string, readonly string[]> = {
  libs: ['libs'],
  services: ['libs'],
  gateway: ['libs'],
  // It migrates what services own.
  deploy: ['libs', 'services'],
  // Bundles every process, and imports none.
  'deploy/image': ['libs', 'services', 'gateway', 'deploy'],
  // What manifests tell a process is compared with the configuration it reads.
  'deploy/kubernetes': ['libs', 'services', 'gateway'],
  test: ['libs', 'deploy'],
};

/** Packages that may depend on these and nothing else. */
const closed: Record<string, readonly string[]> = {
  // They do no I/O: whatever could do it for them stays out.
  'libs/contracts': ['zod'],
};

/** Rooms of a package: below which others each may import from. What stands beside them puts them together. */
const rooms: Record<string, Record<string, readonly string[]>> = {
  gateway: {
    // Knows no interface: neither HTTP, nor REST, nor GraphQL.
    operations: [],
    http: ['operations'],
    // Two projections of the operations, which know nothing of each other.
    rest: ['operations', 'http'],
    graphql: ['operations', 'http'],
  },
  'gateway/http': {
    admission: [],
    exchange: ['admission'],
    body: ['admission', 'exchange'],
    refusal: ['exchange'],
    observation: ['admission', 'exchange'],
    server: ['admission', 'exchange', 'observation', 'refusal'],
  },
  'gateway/graphql': {
    document: [],
    graphiql: [],
    resources: ['document'],
    http: ['document', 'resources'],
    subscriptions: ['document', 'resources', 'http'],
  },
  'services/dispatcher': {
    attempt: [],
    delivery: ['attempt'],
    queue: ['attempt', 'delivery'],
    operations: ['attempt', 'delivery', 'queue'],
  },
};
/** What a room may not import from packages, for its sake: names as they are imported. */
const unknownTo: Record<string, RegExp> = {
  'gateway/operations': /^(?:node:http|@?koa|@as-integrations|graphql|type-graphql|@apollo)/,
  'gateway/rest': /^(?:graphql|type-graphql|@apollo)/,
  'gateway/http': /^(?:graphql|type-graphql|@apollo)/,
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
problems.push(...Object.keys(rooms).flatMap(wrongDoors));
for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exitCode = 1;

function wrongNeighbours(directory: string, manifest: Package): string[] {
  const allowed = mayUse[directory] ?? mayUse[area(directory)] ?? [];
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

function wrongDoors(directory: string): string[] {
  return Object.entries(rooms[directory]!).flatMap(([room, allowed]) => {
    const home = `${directory}/${room}`;
    return globSync(`${home}/**/*.ts`).flatMap((file) =>
      importsOf(file).flatMap((specifier) => {
        if (!specifier.startsWith('.')) {
          if (!unknownTo[home]?.test(specifier)) return [];
          return [`${file}: ${home} must know nothing of ${specifier}.`];
        }
        const [entered = ''] = relative(directory, join(dirname(file), specifier)).split('/');
        if (entered === room || allowed.includes(entered) || !(entered in rooms[directory]!))
          return [];
        return [
          `${file}: ${home} must not import from ${directory}/${entered}. ` +
            `It may from ${allowed.join(' and ') || 'no other room'}.`,
        ];
      }),
    );
  });
}

function importsOf(file: string): string[] {
  const statements = readFileSync(file, 'utf8').matchAll(/(?:\bfrom|\bimport\(?)\s*'([^']+)'/g);
  return [...statements].map(([, specifier]) => specifier!);
}

function area(directory: string): string {
  return directory.split('/')[0] ?? '';
}
