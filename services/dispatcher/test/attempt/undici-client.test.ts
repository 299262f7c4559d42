import test from 'ava';
import { Client as Documented } from 'undici';
import { Client } from '../../attempt/undici-client.js';

test('undici contains the file of its client, which is the client that it documents', (t) => {
  t.is(
    Client,
    Documented,
    'this version of undici lacks it: change services/dispatcher/attempt/undici-client.ts',
  );
});
