import { execFile } from 'node:child_process';
import { chown, readFile, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startPostgres } from '@roster/embedded';
import { eventually, temporaryDirectory } from '@roster/testing';
import test, { type ExecutionContext } from 'ava';
import pg from 'pg';
import { NotYet, openLog } from '@roster/process';
import { Database } from '../../database.js';

const run = promisify(execFile);
const hasOpenssl = await run('openssl', ['version']).then(
  () => true,
  () => false,
);
// Node cannot create certificates.
const testTls = hasOpenssl ? test : test.skip;

testTls(
  'verify-full accepts a certificate of the given authority for the host of the URL, and no other',
  async (t) => {
    const directory = await temporaryDirectory(t);
    const authority = await newAuthority(directory, 'authority');
    const other = await newAuthority(directory, 'other');
    const { server, present } = await tlsServer(t, directory);
    const connect = (host: string) => connecting(t, urlTo(server, host, authority.certificate));

    await present(authority, 'DNS:localhost');
    t.is(await connect('localhost'), 'encrypted');
    const wrongHost = (host: string) =>
      `DATABASE_URL: PostgreSQL at ${host}:${server.port} has an untrusted certificate (ERR_TLS_CERT_ALTNAME_INVALID): set sslrootcert to its certificate authority, or correct the host.`;
    t.is(await connect('127.0.0.1'), wrongHost('127.0.0.1'));
    await present(authority, 'DNS:postgres.example');
    t.is(await connect('localhost'), wrongHost('localhost'));
    await present(authority, 'IP:127.0.0.1');
    t.is(await connect('127.0.0.1'), 'encrypted');
    await present(other, 'DNS:localhost');
    t.regex(
      await connect('localhost'),
      /^DATABASE_URL: PostgreSQL at localhost:\d+ has an untrusted certificate \([A-Z_]+\): set sslrootcert/,
    );
  },
);

testTls('presents the certificate that the URL names', async (t) => {
  const directory = await temporaryDirectory(t);
  const authority = await newAuthority(directory, 'authority');
  const { server, present } = await tlsServer(t, directory);
  await present(authority, 'DNS:localhost');
  const { 'server.crt': certificate, 'server.key': key } = await authority.issue('DNS:client');
  const url = new URL(urlTo(server, 'localhost', authority.certificate));
  for (const [name, text] of Object.entries({ sslcert: certificate, sslkey: key })) {
    const file = join(directory, name);
    await writeFile(file, text);
    url.searchParams.set(name, file);
  }
  t.is(await connecting(t, url.href), 'encrypted, as /CN=server');
});

testTls('a server that does not support TLS receives neither user name nor password', async (t) => {
  const { certificate } = await newAuthority(await temporaryDirectory(t), 'authority');
  const received: Buffer[] = [];
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.on('data', (bytes) => {
      received.push(bytes);
      socket.write('N');
    });
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  t.teardown(() => server.close());
  const { port } = server.address() as { port: number };
  const url = urlTo(
    { url: 'postgres://roster:secret@127.0.0.1/roster', port },
    '127.0.0.1',
    certificate,
  );
  t.is(
    await connecting(t, url),
    `DATABASE_URL: PostgreSQL at 127.0.0.1:${port} does not support TLS: enable TLS on the server, or set sslmode=disable.`,
  );
  // SSLRequest
  t.deepEqual(Buffer.concat(received), Buffer.from('0000000804d2162f', 'hex'));
});

/** A server that presents the certificate of a name, and accepts those of clients. */
async function tlsServer(t: ExecutionContext, directory: string) {
  const server = await startPostgres({ dataDir: join(directory, 'postgres'), durable: false });
  t.teardown(() => server.stop());
  const admin = new pg.Client({ connectionString: server.url });
  await admin.connect();
  t.teardown(() => admin.end());
  const loadedAt = async () => {
    const { rows } = await admin.query<{ at: string }>('select pg_conf_load_time()::text as at');
    return rows[0]!.at;
  };
  const present = async (authority: Authority, name: string) => {
    const files = {
      ...(await authority.issue(name)),
      'root.crt': await readFile(authority.certificate, 'utf8'),
    };
    const cluster = join(directory, 'postgres', 'cluster');
    const { uid, gid } = await stat(cluster);
    for (const [file, text] of Object.entries(files)) {
      await writeFile(join(cluster, file), text, { mode: 0o600 });
      await chown(join(cluster, file), uid, gid);
    }
    await admin.query('alter system set ssl = on');
    await admin.query(`alter system set ssl_ca_file = 'root.crt'`);
    const before = await loadedAt();
    await admin.query('select pg_reload_conf()');
    await eventually(async () => (await loadedAt()) !== before);
  };
  return { server, present };
}

function urlTo(server: { url: string; port: number }, host: string, authority: string): string {
  const url = Object.assign(new URL(server.url), { hostname: host, port: String(server.port) });
  url.searchParams.set('sslmode', 'verify-full');
  url.searchParams.set('sslrootcert', authority);
  return url.href;
}

/** `encrypted`, with the subject of the client's certificate if it has one, or the line that a process logs while it waits. */
async function connecting(t: ExecutionContext, url: string): Promise<string> {
  const log = openLog('test', 'silent');
  const options = { url, schema: 'contacts', poolMax: 2, entities: [], migrations: [], log };
  const database = await Database.open(options);
  try {
    await database.pending();
    const text = 'select ssl, client_dn from pg_stat_ssl where pid = pg_backend_pid()';
    const [row] = await database.query<{ ssl: boolean; client_dn: string | null }>(
      { name: 'test.ssl', text },
      [],
    );
    const subject = row!.client_dn === null ? '' : `, as ${row!.client_dn}`;
    return row!.ssl ? `encrypted${subject}` : 'not encrypted';
  } catch (error) {
    t.true(error instanceof NotYet);
    return (error as Error).message;
  } finally {
    await database.close();
  }
}

interface Authority {
  /** File with its certificate. */
  certificate: string;
  /** A certificate for this name (`DNS:…`, `IP:…`), and its key, as files of PostgreSQL. */
  issue(name: string): Promise<Record<'server.crt' | 'server.key', string>>;
}

async function newAuthority(directory: string, name: string): Promise<Authority> {
  const at = (file: string) => join(directory, `${name}-${file}`);
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  const certificate = at('ca.crt');
  await run('openssl', [
    ...['req', '-x509', ...newKey, '-keyout', at('ca.key'), '-out', certificate],
    ...['-subj', `/CN=${name}`, '-days', '2'],
  ]);
  return {
    certificate,
    async issue(subject) {
      await writeFile(at('extensions'), `subjectAltName=${subject}\n`);
      await run('openssl', [
        ...['req', ...newKey, '-keyout', at('server.key'), '-out', at('server.csr')],
        ...['-subj', '/CN=server'],
      ]);
      await run('openssl', [
        ...['x509', '-req', '-in', at('server.csr'), '-out', at('server.crt'), '-days', '2'],
        ...['-CA', certificate, '-CAkey', at('ca.key'), '-CAcreateserial'],
        ...['-extfile', at('extensions')],
      ]);
      const text = (file: string) => readFile(at(file), 'utf8');
      return { 'server.crt': await text('server.crt'), 'server.key': await text('server.key') };
    },
  };
}
