import test from 'ava';
import { ExportTooLong, ReadingPace } from '../../../rest/exports/export-limits.js';

const limits = { waitingMs: 30_000, bytesPerSecondMin: 1000 };

test('a client that reads each part just in time, and all of them too slowly, exceeds the pace; the time between parts does not count', async (t) => {
  let now = 0;
  const pace = new ReadingPace(limits, () => now);
  const read = (bytes: number, ms: number) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const during = pace.during(bytes, promise);
    now += ms;
    resolve();
    return during;
  };
  for (let part = 0; part < 100; part += 1) {
    await t.notThrowsAsync(read(1000, 1000));
    now += 60_000;
  }
  for (let part = 0; part < 3; part += 1) await t.notThrowsAsync(read(1000, 11_000));
  await t.throwsAsync(read(1000, 1001), { instanceOf: ExportTooLong });
});
