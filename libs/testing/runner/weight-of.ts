/** What the files that run at a time may weigh together: four of most kinds keep two cores busy. */
export const capacity = 4;

/** Files of the whole system that occupy the machine for minutes: two of them at once would time out. */
export const wholeMachine = [
  '/image/dist/test/image.test.js',
  '/faults/short.test.js',
  '/cluster/short.test.js',
  '/neighbours/neighbours.test.js',
  '/model/model.test.js',
];

/** The share of the machine that a compiled test file occupies, of the capacity. */
export function weightOf(file: string): number {
  if (wholeMachine.some((ending) => file.endsWith(ending))) return 3;
  // Those of `test` run the whole system or a browser: attempts and requests of three of them at once time out.
  return file.includes('/test/dist/') ? 2 : 1;
}
