import { randomFillSync } from 'node:crypto';

const random = Buffer.alloc(10);

/** RFC 9562: milliseconds, then random bits. */
export function uuidV7(): string {
  randomFillSync(random);
  random[0] = (random[0]! & 0x0f) | 0x70;
  random[2] = (random[2]! & 0x3f) | 0x80;
  const hex = Date.now().toString(16).padStart(12, '0') + random.toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
