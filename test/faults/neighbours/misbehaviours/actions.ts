import { setTimeout as delay } from 'node:timers/promises';
import { Client, inParallel } from '../../../system/client.js';
import type { Misbehaviour } from '../misbehaviour.js';
import { repeat } from '../repeat.js';
import { requester } from '../requester.js';

/** As many as a workspace may have that have not ended. */
const actionsAtOnce = 4;
const contacts = 10_000;
const batchMax = 1000;
/** Between attempts to create a further one. */
const pauseMs = 100;

/** Actions that change all of some contacts, one after another. */
export const actions: Misbehaviour = {
  name: `actions on ${contacts.toLocaleString('en-US')} contacts`,
  async begin(offender) {
    const run = Date.now().toString(36);
    const client = new Client(offender);
    const batches = Array.from({ length: contacts / batchMax }, (_, n) => n);
    await inParallel(batches, 2, (batch) =>
      client.post('/v1/contacts/batch', {
        operations: Array.from({ length: batchMax }, (_, n) => ({
          action: 'create',
          email: `action.${run}.${batch}.${n}@example.net`,
          tags: [run],
        })),
      }),
    );
    const send = requester(offender);
    const end = repeat(actionsAtOnce, async (n) => {
      const status = await send('POST', '/v1/contacts/actions', {
        filter: { tag: [`is:${run}`] },
        change: { properties: { changed: `${n}` } },
      });
      if (status !== 202) await delay(pauseMs);
    });
    return async () => {
      await end();
      const { body } = await client.get<Actions>('/v1/contacts/actions');
      for (const { id, endedAt } of body.actions)
        if (endedAt === null) await client.post(`/v1/contacts/actions/${id}/cancel`, {});
    };
  },
};

interface Actions {
  actions: { id: string; endedAt: string | null }[];
}
