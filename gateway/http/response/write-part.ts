import type { ServerResponse } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import type { UnreadResponses } from '../connections/unread-responses.js';
import { ClientGone } from '../exchange/client-gone.js';

/**
 * Maximum number of bytes of one write. The kernel copies what it takes in the write itself: several MiB that fit into its buffers,
 * whether or not the client reads, would occupy the event loop for tens of milliseconds.
 */
export const sliceBytes = 256 * 1024;

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
  const bytes = Buffer.from(part);
  if (response.destroyed) throw new ClientGone();
  const read = unread.add(response, workspaceId, bytes.byteLength, heldBytes);
  try {
    for (let at = 0; at < bytes.byteLength; at += sliceBytes) {
      if (at > 0) await setImmediate();
      await writeSlice(response, bytes.subarray(at, at + sliceBytes));
    }
  } finally {
    read();
  }
}

async function writeSlice(response: ServerResponse, slice: Uint8Array): Promise<void> {
  if (response.destroyed) throw new ClientGone();
  const { promise: taken, resolve, reject } = Promise.withResolvers<void>();
  // Node does not call back for a part that is written to a destroyed socket.
  const onClose = () => reject(new ClientGone());
  response.once('close', onClose);
  response.write(slice, (error) => (error ? reject(error) : resolve()));
  try {
    await taken;
  } finally {
    response.off('close', onClose);
  }
}
