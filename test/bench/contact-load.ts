import { Agent, request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';

export interface Target {
  baseUrl: string;
  apiKeys: readonly string[];
}

const inFlightMax = 512;

/**
 * Creates contacts at a fixed rate, independent of response times, with the keys in turn. Returns the time of each
 * 2xx by contact, on the clock shared by all processes of a machine, and the number of other outcomes.
 */
export async function createContacts(
  { baseUrl, apiKeys }: Target,
  perSecond: number,
  seconds: number,
): Promise<{ acknowledged: Map<string, number>; refused: number }> {
  const agent = new Agent({ keepAlive: true, maxSockets: inFlightMax });
  const acknowledged = new Map<string, number>();
  const run = `${Date.now()}`;
  const startedAt = performance.now();
  let refused = 0;
  const inFlight = new Set<Promise<void>>();
  for (let sent = 0; sent < perSecond * seconds;) {
    const due = Math.min(
      perSecond * seconds,
      Math.floor(((performance.now() - startedAt) / 1000) * perSecond),
    );
    for (; sent < due; sent += 1) {
      if (inFlight.size >= inFlightMax) {
        refused += 1;
        continue;
      }
      const email = `bench-${run}-${sent}@example.com`;
      const key = apiKeys[sent % apiKeys.length]!;
      const done = create(`${baseUrl}/v1/contacts`, key, email, agent)
        .then(
          ({ id, at }) => void acknowledged.set(id, at),
          () => void (refused += 1),
        )
        .finally(() => void inFlight.delete(done));
      inFlight.add(done);
    }
    await delay(1);
  }
  await Promise.all(inFlight);
  agent.destroy();
  return { acknowledged, refused };
}

function create(
  url: string,
  apiKey: string,
  email: string,
  agent: Agent,
): Promise<{ id: string; at: number }> {
  const body = JSON.stringify({ email, name: 'Ada Lovelace', tags: ['vip'], properties: {} });
  return new Promise((resolve, reject) => {
    const sent = request(
      url,
      {
        method: 'POST',
        agent,
        headers: {
          authorization: `Bearer ${apiKey}`,
          'content-type': 'application/json',
          'content-length': body.length,
        },
      },
      (response) => {
        const at = Number(process.hrtime.bigint()) / 1e6;
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk)).on('error', reject);
        response.on('end', () => {
          if (response.statusCode !== 201) return reject(new Error(String(response.statusCode)));
          const text = Buffer.concat(chunks).toString();
          resolve({ id: (JSON.parse(text) as { contact: { id: string } }).contact.id, at });
        });
      },
    );
    sent.on('error', reject);
    sent.end(body);
  });
}
