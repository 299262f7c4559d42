/** Lines of `kubectl apply` that report a change. */
export const changedObjects = (stdout: string): string[] =>
  linesOf(stdout).filter((line) => !line.endsWith(' unchanged'));

/** Warnings of kubectl or the API server, for example about a pod that Pod Security would reject. */
export const warnings = (stderr: string): string[] =>
  linesOf(stderr).filter((line) => line.startsWith('Warning:'));

/** Errors of a dry run, except for kinds that are not defined in this cluster. */
export const refusals = (stderr: string): string[] =>
  linesOf(stderr).filter(
    (line) =>
      !line.startsWith('Warning:') &&
      !line.includes('no matches for kind') &&
      !line.startsWith('ensure CRDs are installed first'),
  );

/** The errors that a dry run reports, including that it ended without validating objects. */
export function dryRunFindings({ stdout, stderr, failed }: DryRun): string[] {
  const violations = [...refusals(stderr), ...warnings(stderr)];
  const explained = violations.length > 0 || unknownKinds(stderr).length > 0;
  return [
    ...violations,
    ...(failed && !explained ? ['kubectl failed without an error message'] : []),
    ...(linesOf(stdout).length === 0 ? ['no object was validated'] : []),
  ];
}

export interface DryRun {
  stdout: string;
  stderr: string;
  failed: boolean;
}

/** Kinds that a dry run could not validate. */
export const unknownKinds = (stderr: string): string[] => [
  ...new Set([...stderr.matchAll(/no matches for kind "(\w+)"/g)].map(([, kind]) => kind!)),
];

const linesOf = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
