/** Lines of `kubectl apply` that tell of a change. */
export const changedObjects = (stdout: string): string[] =>
  linesOf(stdout).filter((line) => !line.endsWith(' unchanged'));

/** What kubectl or the API server warned of, such as a pod that Pod Security would refuse. */
export const warnings = (stderr: string): string[] =>
  linesOf(stderr).filter((line) => line.startsWith('Warning:'));

/** Refusals of a dry run, but for kinds of which this cluster has no definition. */
export const refusals = (stderr: string): string[] =>
  linesOf(stderr).filter(
    (line) =>
      !line.startsWith('Warning:') &&
      !line.includes('no matches for kind') &&
      !line.startsWith('ensure CRDs are installed first'),
  );

/** What a dry run says against the objects; that it ended without having judged them is said, too. */
export function dryRunFindings({ stdout, stderr, failed }: DryRun): string[] {
  const against = [...refusals(stderr), ...warnings(stderr)];
  const explained = against.length > 0 || unknownKinds(stderr).length > 0;
  return [
    ...against,
    ...(failed && !explained ? ['kubectl failed without saying why'] : []),
    ...(linesOf(stdout).length === 0 ? ['no object was judged'] : []),
  ];
}

export interface DryRun {
  stdout: string;
  stderr: string;
  failed: boolean;
}

/** Kinds that a dry run could not judge. */
export const unknownKinds = (stderr: string): string[] => [
  ...new Set([...stderr.matchAll(/no matches for kind "(\w+)"/g)].map(([, kind]) => kind!)),
];

const linesOf = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
