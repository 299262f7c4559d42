/**
 * `npm run roster -- …`, `roster …` in the image: the commands of the package `roster`, over HTTP, and those of an operator, over
 * NATS and PostgreSQL.
 */
import { runProgram } from 'roster';

import { commandName, homeOf } from './home.js';

process.exitCode = await runProgram(process.argv.slice(2), {
  name: commandName(),
  home: homeOf(process.env),
  operator: {
    summaries: {
      workspace: 'create, list; over NATS. Others over HTTP: rename, suspend, resume, delete',
      user: 'list the users of any workspace; over NATS',
      key: 'create, list, rotate, revoke keys of any workspace; over NATS',
      'admin-key': 'make a key that administers workspaces over HTTP',
      verify: 'compare outboxes, stream and deliveries; over NATS',
      nats: 'print keys and permissions of the processes',
      migrate: 'update the schemas of the database; over PostgreSQL',
      erase: 'print the ledger of erasures, and replay it in a restored database; over PostgreSQL',
      postgres: 'create the roles of the processes; over PostgreSQL',
    },
    // Loaded on demand: it takes most of a second.
    run: async (args) => (await import('./operator.js')).runOperator(args),
  },
});
// The IPC channel to the parent would keep this process alive.
if (process.connected) process.disconnect();
