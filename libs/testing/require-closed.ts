import { once } from 'node:events';
import { connect } from 'node:net';

/**
 * Requires that a process is about to run in the closed configuration: with the credential of a NATS user, with a role of its own
 * in PostgreSQL, and with the keys that prove callers.
 *
 * @throws Error that names what is open
 */
export async function requireClosed(name: string, env: NodeJS.ProcessEnv): Promise<void> {
  const open: string[] = [];
  const { NATS_URL = '', DATABASE_URL } = env;
  if (!env['CALLER_PUBLIC_KEYS']) open.push('CALLER_PUBLIC_KEYS is not set');
  if (!env['NATS_NKEY_SEED_FILE'] && !env['NATS_NKEY_SEED']) open.push('it has no nkey');
  const role = DATABASE_URL && /^postgres:\/\/([^:@]*)/.exec(DATABASE_URL)?.[1];
  if (name === 'gateway' ? role !== undefined : !role?.startsWith(`roster_${name}`))
    open.push(`its role in PostgreSQL is ${role}`);
  for (const url of NATS_URL.split(','))
    if ((await requiresUser(new URL(url))) === false) open.push(`NATS at ${url} admits anyone`);
  if (open.length > 0)
    throw new Error(`${name} would run in an open configuration: ${open.join(', ')}.`);
}

/** Whether a NATS server demands credentials, as its greeting states. Undefined if it cannot be reached. */
async function requiresUser({ hostname, port }: URL): Promise<boolean | undefined> {
  const socket = connect(Number(port), hostname);
  try {
    const [greeting] = (await once(socket, 'data')) as [Buffer];
    const info = JSON.parse(greeting.toString().split('\r\n')[0]!.slice('INFO '.length));
    return (info as { auth_required?: boolean }).auth_required === true;
  } catch {
    return undefined;
  } finally {
    socket.destroy();
  }
}
