import test from 'ava';
import { spawnProbe } from './probe-process.js';

test('the admin port answers only GET and HEAD', async (t) => {
  const probe = spawnProbe(t, {
    NATS_URL: 'nats://127.0.0.1:9',
    DATABASE_URL: 'postgres://u:p@127.0.0.1:9/roster',
  });
  t.is((await probe.get('/healthz')).status, 200);
  const port = String(probe.lines().find(({ adminPort }) => adminPort)!['adminPort']);
  const answerTo = (method: string, path: string) =>
    fetch(`http://127.0.0.1:${port}${path}`, { method });
  for (const path of ['/healthz', '/readyz', '/metrics', '/elsewhere']) {
    for (const method of ['POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS']) {
      const response = await answerTo(method, path);
      t.is(response.status, 405, `${method} ${path}`);
      t.is(response.headers.get('allow'), 'GET, HEAD');
    }
  }
  const head = await answerTo('HEAD', '/metrics');
  t.is(head.status, 200);
  t.is(await head.text(), '');
});
