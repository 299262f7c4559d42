import { spawnSync } from 'node:child_process';
import test from 'ava';
import { freePort } from '../free-port.js';

test('a port is given to no other process while this one lives', async (t) => {
  const port = await freePort();
  const other = `
    import { syncBuiltinESMExports } from 'node:module';
    import crypto from 'node:crypto';
    const choices = [${port}, 32001];
    crypto.randomInt = () => choices.shift();
    syncBuiltinESMExports();
    const { freePort } = await import(${JSON.stringify(import.meta.resolve('../free-port.js'))});
    console.log(await freePort());
    process.exit();`;
  const ran = spawnSync(process.execPath, ['--input-type=module', '-e', other], {
    encoding: 'utf8',
  });
  t.is(ran.stdout.trim(), '32001', ran.stderr);
});
