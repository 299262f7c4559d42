/** What the files that run at a time may weigh together: four of most kinds keep two cores busy. */
export const capacity = 4;

/** Files of the whole system that occupy the machine for minutes: two of them at once would time out. */
export const wholeMachine = [
  'deploy/image/dist/test/image.test.js',
  'test/dist/faults/short.test.js',
  'test/dist/cluster/short.test.js',
  'test/dist/faults/neighbours/neighbours.test.js',
  'test/dist/system/model/model.test.js',
];

/** Files that wait most of their time, until a server that does not answer is given up. */
export const waiting = [
  'gateway/dist/test/rest/problem-examples.test.js',
  'services/contacts/dist/test/actions/interrupted.test.js',
  'services/contacts/dist/test/database-away.test.js',
  'services/dispatcher/dist/test/interruptions.test.js',
  'services/dispatcher/dist/test/operations/database-away.test.js',
  'services/dispatcher/dist/test/operations/nats-away.test.js',
  'services/users/dist/test/database-away.test.js',
  'services/webhooks/dist/test/database-away.test.js',
  'test/dist/system/sample.test.js',
];

/** The share of the machine that a compiled test file occupies, of the capacity. */
export function weightOf(file: string): number {
  const isOneOf = (files: readonly string[]) => files.some((ending) => file.endsWith(ending));
  if (isOneOf(wholeMachine)) return 3;
  if (isOneOf(waiting)) return 0.5;
  // Those of `test` run the whole system or a browser: attempts and requests of three of them at once time out.
  return /(^|\/)test\/dist\//.test(file) ? 2 : 1;
}
