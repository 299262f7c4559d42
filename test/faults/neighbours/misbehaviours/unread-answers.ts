import { createLargeContacts } from '../contacts.js';
import type { Misbehaviour } from '../misbehaviour.js';
import { keepSockets, requestHead } from '../sockets.js';

const connections = 20;
/** On each connection, one after another without reading: fewer than the gateway lets wait. */
const pipelined = 60;

export const unreadAnswers: Misbehaviour = {
  name: 'unread responses',
  async begin(offender) {
    const list = requestHead(offender, `GET ${await createLargeContacts(offender)}`);
    return keepSockets(offender, connections, (socket) => {
      socket.pause();
      socket.write(list.repeat(pipelined));
    });
  },
};
