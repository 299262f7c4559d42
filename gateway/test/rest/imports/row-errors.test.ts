import { Fault } from '@roster/contracts';
import test from 'ava';
import { connect } from 'node:net';
import { problemIn } from '../../problem-document.js';
import { importId } from '../../stub-results.js';
import { gatewayFor } from '../../test-gateway.js';

const path = `/v1/imports/${importId}/errors`;

test('the errors of all pages are one CSV file, whose cells are no formulas', async (t) => {
  const { stubs, send } = await gatewayFor(t);
  stubs.answer('imports.list-errors', ({ input }) => {
    const { after = 0 } = input as { after?: number };
    const row = after + 1;
    const error = { row, pointer: '/properties/a"b', code: 'invalid', message: '=1, "x"' };
    return { errors: [error], next: row < 3 ? row : null };
  });
  const response = await send(path);
  t.is(response.status, 200);
  t.is(response.headers.get('content-type'), 'text/csv; charset=utf-8');
  t.is(response.headers.get('content-disposition'), 'attachment; filename="errors.csv"');
  t.is(
    await response.text(),
    [
      'row,pointer,code,message',
      ...[1, 2, 3].map((row) => `${row},"/properties/a""b",invalid,"'=1, ""x"""`),
      '',
    ].join('\r\n'),
  );
});

test('an import without errors has a file with its header', async (t) => {
  const { send } = await gatewayFor(t);
  t.is(await (await send(path)).text(), 'row,pointer,code,message\r\n');
});

test('a failure of the first page is a problem document', async (t) => {
  const { stubs, send } = await gatewayFor(t);
  stubs.answer('imports.list-errors', () => new Fault('not_found', 'No such import.'));
  t.is((await problemIn(await send(path))).code, 'not_found');
});

test('clients of HTTP/1.0, which cannot recognize the end of a file, are refused', async (t) => {
  const gateway = await gatewayFor(t);
  const { apiKey } = gateway.stubs.makeKey();
  const socket = connect(gateway.port, '127.0.0.1');
  t.teardown(() => socket.destroy());
  socket.write(`GET ${path} HTTP/1.0\r\nHost: x\r\nAuthorization: Bearer ${apiKey}\r\n\r\n`);
  const text = Buffer.concat((await socket.toArray()) as Buffer[]).toString();
  t.regex(text, /^HTTP\/1\.1 422 /);
  t.regex(text, /Files require HTTP\/1\.1/);
});
