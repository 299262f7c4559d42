import test from 'ava';
import { acceptedCoding } from '../../../http/response/accepted-coding.js';

const cases: [header: string | undefined, coding: string | undefined, refusesIdentity?: boolean][] =
  [
    [undefined, undefined],
    ['', undefined],
    ['identity', undefined],
    ['deflate, zstd', undefined],
    ['gzip', 'gzip'],
    ['x-gzip', 'gzip'],
    ['GZIP;Q=0.5', 'gzip'],
    ['gzip, deflate, br', 'br'],
    ['br;q=0.5, gzip', 'gzip'],
    ['br;q=0.999, gzip;q=1.000', 'gzip'],
    ['gzip;q=0', undefined],
    ['gzip;q=0.000, *', 'br'],
    ['*', 'br'],
    ['*;q=0', undefined],
    ['br;q=0, *;q=0.1', 'gzip'],
    ['gzip ; q=0.5 , identity;q=0.8', undefined],
    ['gzip;q=0.8, identity;q=0.8', 'gzip'],
    ['identity;q=0, gzip', 'gzip', true],
    ['*;q=0, gzip', 'gzip', true],
    ['*;q=0, gzip, identity;q=0.1', 'gzip'],
    ['identity;q=0', undefined],
    ['gzip;q=2, br;q=x', undefined],
    ['gzip;level=9, ;, br', 'br'],
  ];

for (const [header, coding, refusesIdentity = false] of cases)
  test(`Accept-Encoding ${JSON.stringify(header)} selects ${coding ?? 'no coding'}`, (t) => {
    // The second time from memory.
    for (let time = 0; time < 2; time += 1)
      t.deepEqual(acceptedCoding(header), { coding, refusesIdentity });
  });
