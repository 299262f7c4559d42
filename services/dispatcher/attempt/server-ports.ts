import { parseDatabaseUrl } from '@roster/storage';

const dnsPort = 53;
const natsPort = 4222;

/** Ports of the servers that the dispatcher itself uses: PostgreSQL, NATS and DNS. */
export function serverPorts({
  DATABASE_URL,
  NATS_URL,
}: {
  DATABASE_URL: string;
  NATS_URL: string;
}): number[] {
  const nats = NATS_URL.split(',').map((server) => {
    const { port } = new URL(server.includes('://') ? server.trim() : `nats://${server.trim()}`);
    return port === '' ? natsPort : Number(port);
  });
  return [dnsPort, ...nats, ...parseDatabaseUrl(DATABASE_URL).hosts.map(({ port }) => port)];
}
