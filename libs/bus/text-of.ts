/** The UTF-8 text of the payload of a message. */
export const textOf = (data: Uint8Array): string =>
  Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString('utf8');
