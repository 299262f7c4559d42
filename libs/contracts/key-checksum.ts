/** Digits of base62, in the order of their values. */
export const base62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

const prefixLength = 'rsk_'.length;
const checksumLength = 6;

/**
 * Whether a key of the right shape ends in the checksum of its characters: false for a typo, without a look-up.
 *
 * @param key as `keyShape` admits it
 */
export function hasValidChecksum(key: string): boolean {
  const random = key.slice(prefixLength, -checksumLength);
  return key.slice(-checksumLength) === checksumOf(random);
}

/** The six base62 characters that end a key: the CRC-32 (the one of zlib, RFC 1952) of the 30 random ones. */
export function checksumOf(random: string): string {
  let rest = crc32(random);
  let digits = '';
  for (let count = 0; count < checksumLength; count += 1) {
    digits = base62[rest % 62]! + digits;
    rest = Math.floor(rest / 62);
  }
  return digits;
}

// Not node:zlib: contracts stay free of the platform.
const remainders = Uint32Array.from({ length: 256 }, (_, byte) => {
  let rest = byte;
  for (let bit = 0; bit < 8; bit += 1) rest = rest & 1 ? (rest >>> 1) ^ 0xedb88320 : rest >>> 1;
  return rest;
});

/** @param ascii characters below 128 */
function crc32(ascii: string): number {
  let crc = 0xffffffff;
  for (let at = 0; at < ascii.length; at += 1)
    crc = (crc >>> 8) ^ remainders[(crc ^ ascii.charCodeAt(at)) & 255]!;
  return ~crc >>> 0;
}
