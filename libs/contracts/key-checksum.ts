/** Digits of base62 in ascending order. */
export const base62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

const prefixLength = 'rsk_'.length;
const checksumLength = 6;

/**
 * Whether a key ends in the checksum of its random characters. Detects typing errors without a look-up.
 *
 * @param key that matches `keyShape`
 */
export function hasValidChecksum(key: string): boolean {
  const random = key.slice(prefixLength, -checksumLength);
  return key.slice(-checksumLength) === checksumOf(random);
}

/** The last six base62 characters of a key: the CRC-32 (RFC 1952) of the 30 random characters. */
export function checksumOf(random: string): string {
  let rest = crc32(random);
  let digits = '';
  for (let count = 0; count < checksumLength; count += 1) {
    digits = base62[rest % 62]! + digits;
    rest = Math.floor(rest / 62);
  }
  return digits;
}

// Loaded on first use: an import would cost every process that imports the contracts 1.6 MiB.
const crc32 = (text: string): number => process.getBuiltinModule('node:zlib').crc32(text);
