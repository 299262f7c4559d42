import { connect } from 'node:net';

/** Sends raw bytes, and reads the response until the connection closes. */
export async function exchangeBytes(port: number, bytes: string | Buffer): Promise<Response> {
  const socket = connect(port, '127.0.0.1');
  socket.write(bytes);
  let text = '';
  for await (const chunk of socket.setEncoding('utf8')) text += chunk;
  const [head = '', body = ''] = text.split('\r\n\r\n', 2);
  const [statusLine = '', ...lines] = head.split('\r\n');
  const headers = lines.map((line) => line.split(/: (.*)/s, 2) as [string, string]);
  return new Response(body, { status: Number(statusLine.split(' ')[1]), headers });
}
