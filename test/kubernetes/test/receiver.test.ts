import { createHmac } from 'node:crypto';
import test from 'ava';
import { Webhook } from 'standardwebhooks';
import { startReceiver } from '../pods/receiver.js';

const token = 'a-secret-of-a-test';

test('accepts deliveries with two valid signatures, records each once, and rejects all others', async (t) => {
  const receiver = await startReceiver(token, 0, '127.0.0.1');
  t.teardown(() => receiver.stop());
  const deliver = (id: string, contactId: string, key = token, hexKey = token) => {
    const body = JSON.stringify({
      event: 'CONTACT_CREATED',
      data: { contact: { id: contactId, name: '' } },
    });
    const at = new Date();
    return fetch(`http://127.0.0.1:${receiver.port}/hook`, {
      method: 'POST',
      body,
      headers: {
        'webhook-id': id,
        'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
        'webhook-signature': new Webhook(key, { format: 'raw' }).sign(id, at, body),
        'x-roster-signature': createHmac('sha256', hexKey).update(body).digest('hex'),
      },
    });
  };
  t.is((await deliver('dlv_1', 'cont_1')).status, 200);
  t.is((await deliver('dlv_1', 'cont_1')).status, 200);
  t.is((await deliver('dlv_2', 'cont_2', 'another-secret')).status, 401);
  t.is((await deliver('dlv_3', 'cont_3', token, 'another-secret')).status, 401);
  t.deepEqual(receiver.report(), {
    events: [{ event: 'CONTACT_CREATED', contactId: 'cont_1', name: '' }],
    repeated: 1,
    forged: 2,
  });
});
