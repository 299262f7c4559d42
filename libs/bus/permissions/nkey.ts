import { createPrivateKey, createPublicKey, sign, type KeyObject } from 'node:crypto';

/**
 * The nkey of a user: an Ed25519 key in the encoding of NATS. That of `nkeys.js` is computed in JavaScript, which took a tenth of the
 * processor time of a start.
 */
export interface UserKey {
  publicKey: string;
  sign(text: string): Buffer;
}

/** Undefined if the text is not the seed of a user's nkey. */
export function userKeyOf(seed: string): UserKey | undefined {
  const bytes = decode(seed);
  if (bytes?.length !== 34 || bytes[0] !== seedOfUser || bytes[1] !== 0) return undefined;
  const der = Buffer.concat([pkcs8, bytes.subarray(2)]);
  const key = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
  return {
    publicKey: encode(Buffer.concat([Buffer.of(user), rawPublicKey(key)])),
    sign: (text) => sign(null, Buffer.from(text), key),
  };
}

/** Whether a text is the seed of a user's nkey. */
export const isUserSeed = (text: string): boolean => userKeyOf(text) !== undefined;

/** The first byte of a public nkey: encoded, it begins with U. */
const user = 0xa0;
/** The first byte of a seed: encoded, it begins with SU. */
const seedOfUser = 0x95;
/** The header of an Ed25519 key without its 32 bytes (RFC 8410). */
const pkcs8 = Buffer.from('302e020100300506032b657004220420', 'hex');

const rawPublicKey = (key: KeyObject): Buffer =>
  Buffer.from(createPublicKey(key).export({ format: 'jwk' }).x!, 'base64url');

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** Base32 (RFC 4648) without padding, of the bytes and their checksum. */
function encode(bytes: Buffer): string {
  const checked = Buffer.concat([bytes, checksum(bytes)]);
  const bits = [...checked].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  return bits.replaceAll(/.{1,5}/g, (five) => alphabet[Number.parseInt(five.padEnd(5, '0'), 2)]!);
}

/** Undefined if the text is not such an encoding, of which the checksum is a part. */
function decode(text: string): Buffer | undefined {
  const values = [...text].map((character) => alphabet.indexOf(character));
  if (values.includes(-1)) return undefined;
  const bits = values.map((value) => value.toString(2).padStart(5, '0')).join('');
  const checked = Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
  const bytes = checked.subarray(0, -2);
  return encode(bytes) === text ? bytes : undefined;
}

/** CRC-16/XMODEM, low byte first. */
function checksum(bytes: Buffer): Buffer {
  let crc = 0;
  for (const byte of bytes) {
    crc ^= byte << 8;
    for (let bit = 0; bit < 8; bit += 1) crc = (crc << 1) ^ (crc & 0x8000 ? 0x1021 : 0);
    crc &= 0xffff;
  }
  return Buffer.of(crc & 0xff, crc >> 8);
}
