/** A client as a process in a pod: subscribes to events, then sends load until it is stopped. */
import { startControl } from './control.js';
import { Load } from './load.js';

const {
  BASE_URL: baseUrl = '',
  API_KEY: apiKey = '',
  PER_SECOND,
  WEBHOOK_URL,
  TOKEN,
} = process.env;
let load: Load | undefined;

await startControl({
  '/start': async () => {
    await subscribe();
    load ??= new Load({
      baseUrl,
      apiKey,
      perSecond: Number(PER_SECOND),
      answerTimeoutMs: 10_000,
      repeatForMs: 120_000,
    });
    return 'started';
  },
  '/begin': (query) => started().begin(query.get('name') ?? ''),
  '/stop': () => started().stop(),
  '/acknowledged': () => started().acknowledged,
});
// The first process of a container receives only signals that it handles.
process.on('SIGTERM', () => process.exit());

/** A restarted container does not know the requests of the previous one. */
function started(): Load {
  if (!load) throw new Error('no load was started in this container');
  return load;
}

async function subscribe(): Promise<void> {
  const response = await fetch(`${baseUrl}/v1/webhooks`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${apiKey}`,
      'content-type': 'application/json',
      'idempotency-key': 'the-webhook',
    },
    body: JSON.stringify({
      url: WEBHOOK_URL,
      events: ['CONTACT_CREATED', 'CONTACT_UPDATED'],
      token: TOKEN,
    }),
  });
  if (response.status !== 201) throw new Error(`${response.status} ${await response.text()}`);
}
