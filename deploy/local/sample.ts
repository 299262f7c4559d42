import { once } from 'node:events';
import { createServer } from 'node:http';
import { Roster } from '@roster/client';

/** The path of the receiver, by which its webhook is found again. */
const path = '/sample-receiver';

interface SampleOptions {
  baseUrl: string;
  apiKey: string;
  /** Port of the receiver on 127.0.0.1. 0 selects a free one. */
  port: number;
}

/**
 * `npm start -- --sample`: contacts in a workspace that has none, and a receiver on this machine with a webhook that is switched off
 * at first, so that a newcomer sees a contact become a delivery. A later start finds both as they were left.
 *
 * @throws Error if the port of the receiver is in use; RosterError
 */
export async function addSample({ baseUrl, apiKey, port }: SampleOptions): Promise<Sample> {
  const roster = new Roster({ baseUrl, apiKey });
  const receiver = await openReceiver(port);
  const { contacts } = await roster.contacts.list({ limit: 1 });
  if (contacts.length === 0) await roster.contacts.batch({ operations: sampleContacts() });
  const { webhooks } = await roster.webhooks.list();
  const former = webhooks.find(({ url }) => URL.parse(url)?.pathname === path);
  if (!former) {
    const { id } = await roster.webhooks.create({ url: receiver.url, events: [...kinds] });
    await roster.webhooks.disable(id);
  } else if (former.url !== receiver.url) {
    await roster.webhooks.update(former.id, { url: receiver.url });
    // A new URL enables it.
    if (former.status === 'disabled') await roster.webhooks.disable(former.id);
  }
  return receiver;
}

export interface Sample {
  url: string;
  stop: () => void;
}

const kinds = [
  'CONTACT_CREATED',
  'CONTACT_UPDATED',
  'CONTACT_UNSUBSCRIBED',
  'CONTACT_RESUBSCRIBED',
  'CONTACT_DELETED',
  'IMPORT_ENDED',
  'ACTION_ENDED',
] as const;

/** Accepts every delivery, and keeps none. */
async function openReceiver(port: number): Promise<Sample> {
  const server = createServer((request, response) => {
    request.resume().once('end', () => response.writeHead(204).end());
  });
  server.listen({ port, host: '127.0.0.1' });
  await once(server, 'listening').catch((error: Error) => {
    throw new Error(
      `The receiver of --sample cannot listen: ${error.message}. It takes the port after PORT: choose another PORT.`,
    );
  });
  const address = server.address() as { port: number };
  const stop = () => {
    server.close();
    server.closeAllConnections();
  };
  return { url: `http://127.0.0.1:${address.port}${path}`, stop };
}

const names = [
  'Ada Lovelace',
  'Grace Hopper',
  'Hedy Lamarr',
  'Katherine Johnson',
  'Alan Turing',
  'Mary Jackson',
  'Chien-Shiung Wu',
  'Jocelyn Bell Burnell',
  'Emmy Noether',
  'Sofja Kowalewskaja',
  'Srinivasa Ramanujan',
  'مریم میرزاخانی',
  '陳省身',
  'Évariste Galois',
  'Mileva Marić',
  'Wangari Maathai',
];
const cities = ['Oslo', 'São Paulo', 'Osaka', 'Lagos', 'Paris', 'Quito', 'Basel'];
const plans = ['free', 'starter', 'pro'];
const tags = ['newsletter', 'trial', 'customer', 'vip', 'beta'];
const sampleCount = 240;

/** The same contacts at every start. */
function sampleContacts() {
  return Array.from({ length: sampleCount }, (_, at) => ({
    action: 'create' as const,
    email: `sample.${at + 1}@${at % 3 === 0 ? 'example.org' : 'example.com'}`,
    name: names[(at * 7) % names.length]!,
    tags: tags.filter((__, tag) => (at * (tag + 2)) % 5 === 0),
    properties: { city: cities[(at * 3) % cities.length]!, plan: plans[(at >> 1) % plans.length]! },
    status: at % 23 === 11 ? ('unsubscribed' as const) : ('subscribed' as const),
  }));
}
