import { createContacts } from '../contacts.js';
import type { Misbehaviour } from '../misbehaviour.js';
import { keepSockets, requestHead } from '../sockets.js';

const connections = 20;
/** On each connection, one after another without reading. */
const pipelined = 100;

export const unreadAnswers: Misbehaviour = {
  name: 'unread responses',
  async begin(offender) {
    await createContacts(offender, 1000, {});
    const list = requestHead(offender, 'GET /v1/contacts?limit=1000');
    return keepSockets(offender, connections, (socket) => {
      socket.pause();
      socket.write(list.repeat(pipelined));
    });
  },
};
