import test from 'ava';
import { makeWebhook, makeWorkspace, webhooksBench } from './webhooks-bench.js';

const bench = webhooksBench(test, { allowHttp: true });

test('accepts http URLs where they are allowed', async (t) => {
  const url = 'http://127.0.0.1:9000/hooks';
  t.is((await makeWebhook(bench(), makeWorkspace(), { url })).url, url);
});
