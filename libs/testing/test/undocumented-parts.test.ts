import test from 'ava';

import { avaParts } from '../runner/run-group.js';

test('AVA has the parts that run several files in one process', async (t) => {
  const { Runner, refs, sharedWorkerTeardowns, send, options } = await avaParts();
  const message = 'this version of ava lacks it: change libs/testing/runner/run-group.ts';
  const runner = new Runner({ ...options(), file: import.meta.filename });
  t.is(typeof runner.chain, 'function', message);
  t.is(refs.runnerChain.meta.file, import.meta.url, message);
  t.true(Array.isArray(sharedWorkerTeardowns), message);
  t.is(typeof send, 'function', message);
});
