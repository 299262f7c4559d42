import { createContacts } from '../contacts.js';
import type { Misbehaviour } from '../misbehaviour.js';
import { RestClient } from '../../rest-client.js';

/** Ten times what the neighbours send, in bursts of ten milliseconds. */
const perSecond = 2000;
const burstMs = 10;

export const tenTimesTheLoad: Misbehaviour = {
  name: `${perSecond} requests per second`,
  async begin(offender) {
    const [contact] = await createContacts(offender, 1, {});
    const client = new RestClient(offender, { connectionsMax: 256, answerTimeoutMs: 10_000 });
    const open = new Set<Promise<unknown>>();
    const timer = setInterval(() => {
      for (let n = 0; n < (perSecond * burstMs) / 1000; n += 1) {
        const sent = client
          .send('GET', `/v1/contacts/${contact!.id}`)
          .catch(() => undefined)
          .finally(() => open.delete(sent));
        open.add(sent);
      }
    }, burstMs);
    return async () => {
      clearInterval(timer);
      await Promise.all(open);
      client.close();
    };
  },
};
