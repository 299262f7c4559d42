// Prints received webhooks after verifying their signature over the raw body.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';

const server = createServer(async (request, response) => {
  const body = Buffer.concat(await request.toArray());
  const expected = createHmac('sha256', process.env.TOKEN).update(body).digest();
  const given = Buffer.from(request.headers['x-roster-signature'] ?? '', 'hex');
  const genuine = given.length === expected.length && timingSafeEqual(given, expected);
  console.log(genuine ? body.toString() : 'not from Roster');
  response.writeHead(genuine ? 204 : 401).end();
});
server.listen(9000, '0.0.0.0');
process.on('SIGTERM', () => server.close());
