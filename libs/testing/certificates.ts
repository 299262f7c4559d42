import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { ExecutionContext } from 'ava';

const run = promisify(execFile);

export interface Certificates {
  /** Files in PEM format. */
  ca: string;
  /** The certificate of a server with the addresses that were given. */
  server: { cert: string; key: string };
  client: { cert: string; key: string };
}

/**
 * A certificate authority with the certificates of a server and a client, made by `openssl`.
 *
 * @param names of the server, as `IP:127.0.0.1` or `DNS:host`
 */
export async function certificatesFor(t: ExecutionContext, names: string): Promise<Certificates> {
  const folder = await mkdtemp(join(tmpdir(), 'roster-test-tls-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  return certificatesIn(folder, names);
}

/** As above, in a folder. If it has an authority, that one issues new certificates in place of the former ones. */
export async function certificatesIn(folder: string, names: string): Promise<Certificates> {
  const at = (name: string) => join(folder, name);
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
  if (!existsSync(at('ca.pem')))
    await run('openssl', [
      // A name of its own: of two authorities with one name, only the first would be tried.
      ...['req', '-x509', '-days', '2', '-subj', `/CN=Test CA ${randomUUID()}`, ...newKey],
      ...['-keyout', at('ca.key'), '-out', at('ca.pem')],
    ]);
  const issue = async (name: string, extension: string) => {
    const files = { cert: at(`${name}.pem`), key: at(`${name}.key`) };
    await writeFile(at(`${name}.ext`), `subjectAltName=${extension}\n`);
    await run('openssl', [
      ...[
        'req',
        '-subj',
        `/CN=${name}`,
        ...newKey,
        '-keyout',
        files.key,
        '-out',
        at(`${name}.csr`),
      ],
    ]);
    await run('openssl', [
      ...['x509', '-req', '-days', '2', '-in', at(`${name}.csr`), '-out', files.cert],
      ...['-CA', at('ca.pem'), '-CAkey', at('ca.key'), '-CAcreateserial'],
      ...['-extfile', at(`${name}.ext`)],
    ]);
    return files;
  };
  return {
    ca: at('ca.pem'),
    server: await issue('server', names),
    client: await issue('client', 'DNS:client'),
  };
}
