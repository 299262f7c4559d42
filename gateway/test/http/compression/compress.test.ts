import test from 'ava';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { compressor, compressOnce } from '../../../http/response/compress.js';

const small = Buffer.alloc(32 * 1024, 'small ');
const large = Buffer.alloc(small.length + 1, 'large ');

test('at most two bodies over 32 KiB are compressed at a time, and meanwhile smaller ones and kept ones', async (t) => {
  const kept = compressOnce();
  const first = compressor.compress(large, 'gzip');
  t.true(compressor.accepts(large.length));
  const second = compressor.compress(large, 'br');
  t.false(compressor.accepts(large.length));
  t.true(compressor.accepts(small.length));
  t.true(kept.accepts(large.length));
  t.true(gunzipSync(await compressor.compress(small, 'gzip')).equals(small));
  t.true(brotliDecompressSync(await kept.compress(large, 'br')).equals(large));
  t.true(gunzipSync(await first).equals(large));
  t.true(brotliDecompressSync(await second).equals(large));
  t.true(compressor.accepts(large.length));
});
