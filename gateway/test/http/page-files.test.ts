import test from 'ava';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readOnce } from '../../http/response/page-files.js';
import { problemIn } from '../problem-document.js';
import { sharedGateway } from '../test-gateway.js';

const gateway = sharedGateway(test);

for (const path of [
  '/docs',
  '/docs/assets/docs.js',
  '/docs/assets/search.json',
  '/graphql/assets/graphiql.css',
]) {
  test(`${path} is validated with its entity tag before it is used again`, async (t) => {
    const open = (etag?: string) =>
      fetch(`${gateway().url}${path}`, { headers: etag ? { 'if-none-match': etag } : {} });
    const first = await open();
    t.is(first.status, 200);
    t.is(first.headers.get('cache-control'), 'no-cache');
    t.true((await first.bytes()).length > 0);
    const etag = first.headers.get('etag')!;
    const again = await open(etag);
    t.is(again.status, 304);
    t.is(again.headers.get('cache-control'), 'no-cache');
    t.is(again.headers.get('etag'), etag);
    t.is((await open(`"${'A'.repeat(22)}"`)).status, 200);
    t.is((await problemIn(await open('unquoted'))).code, 'invalid');
  });
}

test('reads a file once, and again only after a failure', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'roster-page-files-'));
  t.teardown(() => rm(folder, { recursive: true }));
  const path = join(folder, 'page.js');
  const read = readOnce(path);
  await t.throwsAsync(read, { code: 'ENOENT' });
  await writeFile(path, 'first');
  const [content, other] = await Promise.all([read(), read()]);
  t.is(Buffer.from(content.bytes).toString(), 'first');
  t.is(other, content);
  await rm(path);
  t.is(await read(), content);
});
