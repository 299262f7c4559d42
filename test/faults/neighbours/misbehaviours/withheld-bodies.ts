import type { Misbehaviour } from '../misbehaviour.js';
import { keepSockets, requestHead } from '../sockets.js';

/** As many as a gateway handles at once. */
const requests = 224;

export const withheldBodies: Misbehaviour = {
  name: 'withheld request bodies',
  begin(offender) {
    const headers = ['Content-Type: application/json', 'Content-Length: 200'];
    const head = requestHead(offender, 'POST /v1/contacts', headers);
    return Promise.resolve(keepSockets(offender, requests, (socket) => socket.write(head)));
  },
};
