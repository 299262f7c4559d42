import { chmodSync, mkdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { temporaryDirectory } from '@roster/testing';
import test from 'ava';

import { makePrivate } from '../private-file.js';

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);

test('removes the permissions of other accounts from files and folders, not beyond links', async (t) => {
  const home = await temporaryDirectory(t);
  const path = (...names: string[]) => join(home, ...names);
  mkdirSync(path('logs', 'deep'), { recursive: true });
  const files = [
    path('keys'),
    path('logs', 'a.log'),
    path('logs', 'deep', 'b.log'),
    path('outside'),
  ];
  for (const file of files) writeFileSync(file, 'secret');
  for (const file of files) chmodSync(file, 0o644);
  for (const folder of [path('logs'), path('logs', 'deep')]) chmodSync(folder, 0o755);
  chmodSync(path('logs', 'a.log'), 0o754);
  symlinkSync(path('outside'), path('logs', 'link'));
  makePrivate([path('keys'), path('logs'), path('missing')]);
  t.is(modeOf(path('keys')), '600');
  t.is(modeOf(path('logs')), '700');
  t.is(modeOf(path('logs', 'deep')), '700');
  t.is(modeOf(path('logs', 'deep', 'b.log')), '600');
  t.is(modeOf(path('logs', 'a.log')), '700');
  t.is(modeOf(path('outside')), '644');
});
