import { randomBytes } from 'node:crypto';
import type { Misbehaviour } from '../misbehaviour.js';
import { keepSockets, requestHead } from '../sockets.js';

const sockets = 1000;

export const idleWebSockets: Misbehaviour = {
  name: `${sockets} WebSockets`,
  begin(offender) {
    const headers = [
      'Connection: Upgrade',
      'Upgrade: websocket',
      'Sec-WebSocket-Version: 13',
      'Sec-WebSocket-Protocol: graphql-transport-ws',
    ];
    return Promise.resolve(
      keepSockets(offender, sockets, (socket) => {
        const key = `Sec-WebSocket-Key: ${randomBytes(16).toString('base64')}`;
        socket.write(requestHead(offender, 'GET /graphql', [...headers, key]));
      }),
    );
  },
};
