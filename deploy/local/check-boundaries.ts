/**
 * Checks which package may depend on which, and which folder of a package may import from which. oxlint checks the
 * imports between packages, and that none is circular (.oxlintrc.json); this checks dependencies in package.json
 * files, and imports between folders. Node runs it without compilation, so that it also works when the code does not
 * compile.
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
    // Two projections of the operations, independent of each other.
    rest: ['operations', 'http'],
    graphql: ['operations', 'http'],
  },
  'gateway/operations': {
    rates: [],
  },
  'gateway/rest': {
    exports: [],
    imports: ['exports'],
    problems: [],
    openapi: ['problems'],
    reference: [],
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
  'libs/contracts': {
    operations: [],
  },
  'libs/contracts/operations': {
    contacts: [],
    users: [],
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
  'deploy/local': {
    database: [],
    supervision: [],
  },
  'services/contacts': {
    migrations: [],
    entities: [],
    reading: [],
    writing: ['reading'],
    imports: ['writing'],
    operations: ['reading', 'writing', 'imports', 'entities'],
  },
  'services/contacts/operations': {
    contacts: [],
    imports: [],
    properties: [],
  },
  'services/contacts/writing': {
    definitions: [],
  },
  'services/users': {
    migrations: [],
    entities: [],
    keys: ['entities'],
    operations: ['entities', 'keys'],
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

/** Packages that a folder must not import, by their import specifiers. */
const forbiddenPackages: Record<string, RegExp> = {
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
  ...forbiddenDependencies(directory, manifest),
  ...unlistedDependencies(directory, manifest),
]);
problems.push(
  ...Object.keys(folders).flatMap(forbiddenImports),
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

function forbiddenImports(directory: string): string[] {
  return Object.entries(folders[directory]!).flatMap(([folder, allowed]) => {
    const home = `${directory}/${folder}`;
    return globSync(`${home}/**/*.ts`).flatMap((file) =>
      importsOf(file).flatMap((specifier) => {
        if (!specifier.startsWith('.')) {
          if (!forbiddenPackages[home]?.test(specifier)) return [];
          return [`${file}: ${home} must not import ${specifier}.`];
        }
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

/** Folders with source files that have no rule, and rules of folders that do not exist. */
function unlistedFolders(directory: string): string[] {
  const names = ['node_modules', 'dist', 'test'];
  const files = globSync('**/*.ts', {
    cwd: directory,
    exclude: (name) => names.includes(name),
  });
  const found = [...new Set(files.flatMap((file) => file.split('/').slice(0, -1)[0] ?? []))];
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

function importsOf(file: string): string[] {
  const statements = readFileSync(file, 'utf8').matchAll(/(?:\bfrom|\bimport\(?)\s*'([^']+)'/g);
  return [...statements].map(([, specifier]) => specifier!);
}

function area(directory: string): string {
  return directory.split('/')[0] ?? '';
}
