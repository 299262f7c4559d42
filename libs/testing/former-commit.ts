import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/**
 * The commit of the release before that of the checkout in `root`: the last tag; without tags, the merge base with
 * the upstream branch; otherwise the commit before the current version was set. Undefined if the history does not
 * reach that far.
 */
export async function formerCommit(root: string): Promise<string | undefined> {
  const git = async (...args: string[]) => {
    const { stdout } = await promisify(execFile)('git', args, { cwd: root });
    return stdout.trim();
  };
  const head = await git('rev-parse', 'HEAD').catch(() => undefined);
  const ways = [
    // The checkout may be a tagged release: then the tag before it.
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
