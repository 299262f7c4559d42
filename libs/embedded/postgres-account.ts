import { readFile, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

export interface Account {
  uid: number;
  gid: number;
}

/**
 * The account that PostgreSQL must run as, or undefined if that is the current one. As root: the owner of the
 * cluster's directory if it exists, otherwise an existing account (initdb looks up its own in the passwd file).
 */
export async function serverAccount(cluster: string): Promise<Account | undefined> {
  if (process.getuid?.() !== 0) return undefined;

  const owner = await stat(cluster).catch(() => undefined);
  if (owner && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid };

  const passwd = await readFile('/etc/passwd', 'utf8');
  const entries = passwd.split('\n').map((line) => line.split(':'));
  for (const name of ['postgres', 'nobody']) {
    const [, , uid, gid] = entries.find(([entry]) => entry === name) ?? [];
    if (Number(uid) > 0) return { uid: Number(uid), gid: Number(gid) };
  }
  throw new Error(
    'PostgreSQL refuses to run as root, and there is no account "postgres" or "nobody" to run it as.',
  );
}

/** Whether the account may read the path (a directory: also enter it) and all its parents. Ignores ACLs. */
export async function canReach(path: string, account: Account): Promise<boolean> {
  const { mode, uid, gid } = await stat(path);
  const shift = uid === account.uid ? 6 : gid === account.gid ? 3 : 0;
  const allowed = (mode >> shift) & 0o7;
  const parent = dirname(path);
  return (allowed & 0o5) === 0o5 && (parent === path || canReach(parent, account));
}
