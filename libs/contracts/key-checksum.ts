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

// Loaded by the first key that is made or checked: an import would cost every process that knows the contracts 1.6 MiB.
const crc32 = (text: string): number => process.getBuiltinModule('node:zlib').crc32(text);
