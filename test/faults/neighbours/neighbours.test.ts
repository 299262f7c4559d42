import { shortOrLong } from '@roster/testing';
import test from 'ava';
import { percentilesOf } from '../../bench/load/latencies.js';
import { Client, inParallel } from '../../system/client.js';
import { patience, startRoster, type RunningRoster } from '../../system/running-roster.js';
import { misbehaviours } from './misbehaviours.js';

const requests = shortOrLong(24, 80);
const clients = 4;

let roster: RunningRoster;
test.before(async (t) => {
  roster = await startRoster({ t, env: patience });
});
test.after.always(() => roster?.discard());

for (const { name, begin } of misbehaviours) {
  test.serial(`requests of a workspace are answered despite ${name} of another`, async (t) => {
    t.timeout(120_000);
    const [offender, neighbour] = await Promise.all([
      roster.newWorkspace('Offender'),
      roster.newWorkspace('Neighbour'),
    ]);
    const { baseUrl, databaseUrl } = roster;
    const end = await begin({ baseUrl, databaseUrl, apiKey: offender.apiKey });
    try {
      const { refused, times } = await useApi(new Client({ baseUrl, apiKey: neighbour.apiKey }));
      t.deepEqual(refused, []);
      const { p50, p99 } = percentilesOf(times);
      t.log(`${name}: neighbours waited ${p50.toFixed(1)} ms (p50), ${p99.toFixed(1)} ms (p99)`);
    } finally {
      await end();
    }
  });
}

/** Creates, updates, gets and lists contacts. */
async function useApi(client: Client): Promise<{ refused: string[]; times: number[] }> {
  const refused: string[] = [];
  const times: number[] = [];
  const send = async (method: string, path: string, expected: number, body?: object) => {
    const startedAt = performance.now();
    const answer = await client.send<{ contact: { id: string } }>(method, path, body);
    times.push(performance.now() - startedAt);
    if (answer.status !== expected)
      refused.push(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body.contact?.id;
  };
  const rounds = Array.from({ length: requests / 4 }, (_, n) => n);
  await inParallel(rounds, clients, async (n) => {
    const email = `neighbour.${n}@example.com`;
    const id = await send('POST', '/v1/contacts', 201, { email });
    await send('PUT', `/v1/contacts/${id}`, 200, { name: 'Renamed' });
    await send('GET', `/v1/contacts/${id}`, 200);
    await send('GET', '/v1/contacts?limit=10', 200);
  });
  return { refused, times };
}
