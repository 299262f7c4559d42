import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/**
 * The commit of the release before that of the checkout in `root`: the last tag; without tags where the branch left its
 * upstream; else what was before the version became the present one. Undefined where the history does not reach that far.
 */
export async function formerCommit(root: string): Promise<string | undefined> {
  const git = async (...args: string[]) => {
    const { stdout } = await promisify(execFile)('git', args, { cwd: root });
    return stdout.trim();
  };
  const head = await git('rev-parse', 'HEAD').catch(() => undefined);
  const ways = [
    // Of a release itself, the tag before its own.
    () => git('describe', '--tags', '--abbrev=0', 'HEAD^'),
    () => git('merge-base', 'HEAD', '@{upstream}'),
    async () => {
      const change = await git('log', '-1', '--format=%H', '-G"version":', '--', 'package.json');
      return git('rev-parse', `${change}^`);
    },
  ];
  for (const way of ways) {
    const commit = await way()
      .then((name) => git('rev-parse', '--verify', `${name}^{commit}`))
      .catch(() => undefined);
    if (commit !== undefined && commit !== head) return commit;
  }
  return undefined;
}
