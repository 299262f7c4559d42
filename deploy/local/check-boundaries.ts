/**
 * Checks which package may depend on which, which folder of a package may import from which, and which packages a folder must not
 * import. oxlint refuses circular imports. Node runs it without compilation, so that it also works when the code does not compile.
 */
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

/**
 * For packages in or below a directory (the closest entry applies): the directories whose packages they may depend
 * on.
 */
const allowedDependencies: Record<string, readonly string[]> = {
  libs: ['libs'],
  services: ['libs'],
  gateway: ['libs'],
  // Runs the migrations of the services.
  deploy: ['libs', 'services'],
  // Bundles every process, but imports none.
  'deploy/image': ['libs', 'services', 'gateway', 'deploy'],
  // Publishes the bundles and the manifests.
  'deploy/release': ['libs', 'deploy'],
  // Compares the environment in the manifests with the configuration of the processes.
  'deploy/kubernetes': ['libs', 'services', 'gateway'],
  test: ['libs', 'deploy'],
};

/** Packages that may depend only on these. */
const closed: Record<string, readonly string[]> = {
  // No I/O, and therefore no package that does I/O.
  'libs/contracts': ['zod'],
};

/**
 * The folders of every package and of every folder, with the folders beside it that each may import from. Files beside the folders
 * may import from all.
 */
const folders: Record<string, Record<string, readonly string[]>> = {
  gateway: {
    // Independent of HTTP, REST and GraphQL.
    operations: [],
    http: ['operations'],
    // What browsers show.
    pages: ['operations', 'http'],
    // Two projections of the operations, independent of each other.
    rest: ['operations', 'http', 'pages'],
    graphql: ['operations', 'http', 'pages'],
  },
  'gateway/pages': {
    docs: [],
  },
  'gateway/operations': {
    rates: [],
  },
  'gateway/rest': {
    admin: [],
    exports: [],
    imports: ['exports'],
    problems: [],
    openapi: ['admin', 'problems'],
    unsubscribe: [],
  },
  'gateway/rest/imports': {
    rows: [],
  },
  'gateway/http': {
    admission: [],
    connections: [],
    response: ['connections'],
    callers: ['connections'],
    body: [],
  },
  'gateway/graphql': {
    document: [],
    graphiql: [],
    request: ['document'],
    contract: ['document', 'request'],
    resources: ['document', 'request', 'contract'],
    http: ['document', 'request', 'resources'],
    subscriptions: ['document', 'request', 'resources', 'http'],
  },
  'libs/bus': {
    proof: [],
    permissions: [],
    connection: ['permissions'],
    calls: ['permissions', 'proof'],
    events: ['calls', 'connection', 'permissions'],
  },
  'libs/bus/calls': {
    // What is sent, for both sides of request-reply.
    frame: [],
    batching: ['frame'],
    client: ['frame', 'batching'],
    server: ['frame'],
  },
  'libs/cli': {
    commands: ['listen', 'moving'],
    listen: [],
    moving: [],
  },
  'libs/client': {
    // Writes types and methods from the contracts. It is not published.
    emit: [],
  },
  'libs/contracts': {
    operations: [],
  },
  'libs/contracts/operations': {
    contacts: [],
    users: ['contacts'],
    webhooks: [],
    dispatcher: ['contacts', 'users', 'webhooks'],
  },
  'libs/storage': {
    audit: [],
    batches: [],
    database: [],
    idempotency: ['batches'],
    outbox: [],
  },
  'libs/storage/database': {
    preambles: [],
  },
  'libs/testing': {
    model: [],
    runner: [],
    schema: [],
  },
  'deploy/kubernetes': {
    chart: [],
  },
  'deploy/release': {
    oci: [],
  },
  'deploy/local': {
    database: [],
    supervision: [],
  },
  'services/contacts': {
    migrations: [],
    entities: [],
    reading: [],
    writing: ['reading'],
    jobs: [],
    imports: ['writing', 'jobs'],
    actions: ['reading', 'writing', 'jobs'],
    erasures: ['jobs'],
    operations: ['reading', 'writing', 'jobs', 'imports', 'actions', 'erasures', 'entities'],
  },
  'services/contacts/operations': {
    actions: [],
    contacts: [],
    imports: [],
    properties: [],
    suppressions: [],
  },
  'services/contacts/writing': {
    definitions: [],
  },
  'services/users': {
    migrations: [],
    entities: [],
    keys: ['entities'],
    sessions: ['entities'],
    operations: ['entities', 'keys', 'sessions'],
  },
  'services/webhooks': {
    migrations: [],
    entities: [],
    secrets: [],
    operations: ['entities', 'secrets'],
  },
  'services/dispatcher': {
    migrations: [],
    entities: [],
    attempt: [],
    // What the webhooks service knows and is told.
    webhooks: ['attempt'],
    slots: ['webhooks'],
    delivery: ['attempt', 'webhooks', 'slots'],
    queue: ['entities', 'attempt', 'webhooks', 'slots', 'delivery'],
    operations: ['entities', 'attempt', 'webhooks', 'delivery', 'queue'],
  },
};

/** Packages that the files of a folder must not import, with the reason. Dependencies in package.json allow the rest. */
const forbiddenPackages: Record<string, { packages: RegExp; why: string }> = {
  gateway: {
    packages: /^@roster\/storage/,
    why: 'it owns no data, and what talks to PostgreSQL would cost it 25 MiB',
  },
  'gateway/operations': {
    packages: /^(?:node:http|@?koa|@as-integrations|graphql|type-graphql|@apollo)/,
    why: 'it knows neither HTTP nor GraphQL',
  },
  'gateway/rest': { packages: /^(?:graphql|type-graphql|@apollo)/, why: 'it knows no GraphQL' },
  'gateway/http': { packages: /^(?:graphql|type-graphql|@apollo)/, why: 'it knows no GraphQL' },
  'libs/contracts': {
    packages: /^(?!\.|zod$|node:crypto$|node:url$)/,
    why: 'contracts do no I/O: they need Zod, hashes and domain names',
  },
  'deploy/local': {
    packages: /^@roster\/(?:gateway|contacts|users|webhooks|dispatcher)$/,
    why: 'processes are started: of services, only the migrations are imported',
  },
  'deploy/kubernetes': {
    packages: /^@roster\/(?:gateway|contacts|users|webhooks|dispatcher)$/,
    why: 'importing a process starts it: manifests are compared with its /config',
  },
};

/** Packages whose tests may import what the others must not. */
const pure = new Set(['libs/contracts']);

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
  ...forbiddenDependencies(directory, manifest),
  ...unlistedDependencies(directory, manifest),
  ...unlistedImports(directory, manifest),
]);
problems.push(
  ...Object.keys(folders).flatMap(forbiddenImports),
  ...Object.keys(forbiddenPackages).flatMap(importsOfForbidden),
  ...[...packages.keys()].filter((directory) => directory !== 'test').flatMap(unlistedFolders),
);
for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exitCode = 1;

function forbiddenDependencies(directory: string, manifest: Package): string[] {
  const allowed = allowedDependencies[directory] ?? allowedDependencies[area(directory)] ?? [];
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

function unlistedDependencies(
  directory: string,
  { dependencies, optionalDependencies }: Package,
): string[] {
  const allowed = closed[directory];
  if (!allowed) return [];
  return Object.keys({ ...dependencies, ...optionalDependencies })
    .filter((name) => !allowed.includes(name))
    .map((name) => `${directory}/package.json: ${directory} must not depend on ${name}.`);
}

/**
 * Imports of Roster's packages that package.json does not list, which resolve because node_modules has all of them, and imports by a
 * path into another package.
 */
function unlistedImports(directory: string, manifest: Package): string[] {
  const listed = { ...manifest.dependencies, ...manifest.devDependencies, [manifest.name]: '' };
  return sourcesIn(directory, ['node_modules', 'dist']).flatMap((file) =>
    importsOf(file).flatMap((specifier) => {
      if (
        specifier.startsWith('.') &&
        relative(directory, join(dirname(file), specifier)).startsWith('..')
      )
        return [`${file}: imports a file of another package by its path.`];
      const [name = ''] = /^@roster\/[^/]+/.exec(specifier) ?? [];
      if (!directoryOf.has(name) || name in listed) return [];
      return [`${file}: ${directory}/package.json does not list ${name}.`];
    }),
  );
}

function forbiddenImports(directory: string): string[] {
  return Object.entries(folders[directory]!).flatMap(([folder, allowed]) => {
    const home = `${directory}/${folder}`;
    return sourcesIn(home, ['node_modules', 'dist']).flatMap((file) =>
      importsOf(file).flatMap((specifier) => {
        if (!specifier.startsWith('.')) return [];
        const [entered = ''] = relative(directory, join(dirname(file), specifier)).split('/');
        if (entered === folder || allowed.includes(entered) || !(entered in folders[directory]!))
          return [];
        return [
          `${file}: ${home} must not import from ${directory}/${entered}. ` +
            `It may import from ${allowed.join(' and ') || 'no other folder'}.`,
        ];
      }),
    );
  });
}

function importsOfForbidden(home: string): string[] {
  const { packages: forbidden, why } = forbiddenPackages[home]!;
  const without = ['node_modules', 'dist', ...(pure.has(home) ? ['test'] : [])];
  return sourcesIn(home, without).flatMap((file) =>
    importsOf(file)
      .filter((specifier) => forbidden.test(specifier))
      .map((specifier) => `${file}: ${home} must not import ${specifier}: ${why}.`),
  );
}

/** Folders with source files that have no rule, and rules of folders that do not exist. */
function unlistedFolders(directory: string): string[] {
  const files = sourcesIn(directory, ['node_modules', 'dist', 'test']);
  const found = [
    ...new Set(files.flatMap((file) => relative(directory, file).split('/').slice(0, -1)[0] ?? [])),
  ];
  const listed = Object.keys(folders[directory] ?? {});
  const rules = 'deploy/local/check-boundaries.ts';
  return [
    ...found
      .filter((folder) => !listed.includes(folder))
      .map((folder) => `${directory}/${folder}: list the folder in ${rules}.`),
    ...listed
      .filter((folder) => !found.includes(folder))
      .map((folder) => `${directory}/${folder}: remove it from ${rules}, it has no source file.`),
    ...found.flatMap((folder) => unlistedFolders(`${directory}/${folder}`)),
  ];
}

function sourcesIn(directory: string, without: readonly string[]): string[] {
  return globSync(`${directory}/**/*.ts`, { exclude: (name) => without.includes(name) });
}

function importsOf(file: string): string[] {
  const statements = readFileSync(file, 'utf8').matchAll(/(?:\bfrom|\bimport\(?)\s*'([^'\s]+)'/g);
  return [...statements].map(([, specifier]) => specifier!);
}

function area(directory: string): string {
  return directory.split('/')[0] ?? '';
}
