import { createHmac } from 'node:crypto';
import { encodeId } from '@roster/contracts';
import { request, type Dispatcher } from 'undici';

export interface Delivery {
  workspace_id: string;
  id: string;
  event_id: string;
  body: string;
  url: string;
  token: string;
}

export interface Outcome {
  delivery: Delivery;
  /** Null without a response. */
  status: number | null;
  ms: number;
  error: string | null;
}

const timeoutMs = 10_000;

/** One attempt, signed as Roster's. Never rejects. */
export async function post(delivery: Delivery, dispatcher: Dispatcher): Promise<Outcome> {
  const { url, body } = delivery;
  const startedAt = performance.now();
  const outcome = (status: number | null, error: string | null): Outcome => ({
    ...{ delivery, status, error },
    ms: Math.round(performance.now() - startedAt),
  });
  try {
    const response = await request(url, {
      ...{ method: 'POST', body, dispatcher, headers: headersOf(delivery) },
      ...{ headersTimeout: timeoutMs, bodyTimeout: timeoutMs },
    });
    await response.body.dump();
    return outcome(response.statusCode, null);
  } catch (error) {
    return outcome(null, (error as Error).message);
  }
}

function headersOf({ id, event_id, body, token }: Delivery): Record<string, string> {
  const webhookId = encodeId('delivery', id);
  const timestamp = Math.floor(Date.now() / 1000);
  const hmac = () => createHmac('sha256', token);
  return {
    'content-type': 'application/json',
    'user-agent': 'monolith',
    'x-monolith-event-id': encodeId('event', event_id),
    'x-monolith-signature': hmac().update(body).digest('hex'),
    'webhook-id': webhookId,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': `v1,${hmac().update(`${webhookId}.${timestamp}.${body}`).digest('base64')}`,
  };
}
