import { Fault } from '@roster/contracts';
import { checkLockIsolation } from '@roster/testing';
import test from 'ava';
import type { Client, Contact } from '../system/client.js';
import { callsReceived, runReplicas } from './running-replicas.js';

const clientsOfGateway = 4;

test('with two gateways and two contacts processes, a held row lock of a workspace delays no other workspace', async (t) => {
  const replicas = await runReplicas(t, { lockMs: 60_000, requestMs: 60_000 });
  const [blocked, others] = [await replicas.newWorkspace(), await replicas.newWorkspace()];
  /** Clients of both gateways that update one contact of the workspace. */
  const updating = async (gateways: Client[], email: string) => {
    const { status, body } = await gateways[0]!.post<{ contact: Contact }>('/v1/contacts', {
      email,
    });
    t.is(status, 201);
    const path = `/v1/contacts/${body.contact.id}`;
    return gateways.flatMap((client) =>
      Array.from({ length: clientsOfGateway }, () => async (n: number) => {
        const answer = await client.put(path, { name: `Name ${n}` });
        if (answer.status === 200) return;
        if (answer.status !== 503) throw new Error(JSON.stringify(answer));
        t.is(answer.headers.get('retry-after'), '1');
        throw new Fault('unavailable', 'Locked.');
      }),
    );
  };
  await checkLockIsolation(t, {
    databaseUrl: replicas.databaseUrl,
    lock: {
      text: 'select from contacts.contacts where email_key = $1 for update',
      values: ['locked@example.com'],
    },
    blocked: await updating(blocked, 'locked@example.com'),
    others: await updating(others, 'free@example.com'),
  });
  for (const replica of replicas.contacts)
    t.true((await callsReceived(replica, 'contacts.update')) > 0, `${replica.id} took part`);
});
