import type { ServerResponse } from 'node:http';
import type { UnreadResponses } from '../connections/unread-responses.js';
import { ClientGone } from '../exchange/client-gone.js';

/**
 * Writes a part of a response, and resolves when the kernel has taken it. The client must read it in the same time as a response of
 * this size; otherwise its connection is ended.
 *
 * @param heldBytes those of its bytes whose memory is not counted elsewhere
 * @throws ClientGone if the connection has ended; errors of the socket
 */
export async function writePart(
  response: ServerResponse,
  part: string,
  unread: UnreadResponses,
  workspaceId: string,
  heldBytes = Buffer.byteLength(part),
): Promise<void> {
  if (response.destroyed) throw new ClientGone();
  const { promise: taken, resolve, reject } = Promise.withResolvers<void>();
  const read = unread.add(response, workspaceId, Buffer.byteLength(part), heldBytes);
  // Node does not call back for a part that is written to a destroyed socket.
  const onClose = () => reject(new ClientGone());
  response.once('close', onClose);
  response.write(part, (error) => (error ? reject(error) : resolve()));
  try {
    await taken;
  } finally {
    response.off('close', onClose);
    read();
  }
}
