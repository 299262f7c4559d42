/**
 * Test files that take as long as all others together, by their sources, as patterns. `npm test` runs them if they are named,
 * `npm run test:long` and `.ci/run --long` always: before a release, and by whoever changes what they test.
 */
export const longFiles: readonly string[] = [
  // The image is built, and run with its own servers.
  'deploy/image/test/image.test.ts',
  // The whole system under load, faults and restarts.
  'test/client/cut-connections.test.ts',
  'test/cluster/short.test.ts',
  'test/faults/short.test.ts',
  'test/faults/neighbours/neighbours.test.ts',
  'test/listen/listen.test.ts',
  'test/listen/under-faults.test.ts',
  'test/replicas/*.test.ts',
  'test/system/collector.test.ts',
  'test/system/erased-files.test.ts',
  'test/system/recovery.test.ts',
  'test/system/restart.test.ts',
  'services/contacts/test/actions/interrupted.test.ts',
  // Servers and processes that are started many times, with every kind of role, migration and fault.
  'deploy/local/test/migrate-command.test.ts',
  'deploy/local/test/roles.test.ts',
  'libs/embedded/test/postgres.test.ts',
  'libs/storage/test/database/failover.test.ts',
  'libs/storage/test/database/migrate.test.ts',
  'libs/storage/test/process/refused.test.ts',
  'libs/storage/test/process/watch-signer.test.ts',
  'services/*/test/locked-workspace.test.ts',
  'test/security/takeover.test.ts',
  // Thousands of rows and inputs.
  'test/system/any-input.test.ts',
  'test/system/batches.test.ts',
  'test/system/exports.test.ts',
  'test/system/imports.test.ts',
  // Every dialog and screen of the console in every width, theme and direction.
  'test/console/dialog-steps.test.ts',
  'test/console/dialogs.test.ts',
  'test/console/many-contacts.test.ts',
  'test/console/screens.test.ts',
  // Every command and example of the command line, each a process.
  'test/command-line/bad-input.test.ts',
  'test/command-line/examples.test.ts',
  'test/command-line/terminal.test.ts',
  'test/listen/commands.test.ts',
  'test/listen/documented.test.ts',
  // Programs and languages of others.
  'gateway/test/graphql/clients/graphiql.test.ts',
  'gateway/test/graphql/clients/react.test.ts',
  'services/dispatcher/test/attempt/verifying-signatures.test.ts',
  'test/client/package.test.ts',
  'test/public-suites/*.test.ts',
];

/** The patterns of their compiled counterparts. */
export const compiledLongFiles: readonly string[] = longFiles.map((source) => {
  const [, home, inside] = /^((?:libs|services|deploy)\/[^/]+|gateway|test)\/(.+)$/.exec(source)!;
  return `${home}/dist/${inside!.replace(/ts$/, 'js')}`;
});
