import { gzipSync } from 'node:zlib';

/** A file of an archive. Directories above it are added. */
export interface TarFile {
  path: string;
  bytes: Uint8Array;
  executable?: boolean;
}

const block = 512;

/**
 * A tar archive (ustar) whose bytes follow from its files alone: sorted, owned by root, writable by root only, with one time.
 *
 * @param seconds the time of all files, in seconds since 1970
 * @throws Error if a path is longer than ustar can express
 */
export function tar(files: readonly TarFile[], seconds: number): Buffer {
  const byPath = new Map<string, TarFile | undefined>();
  for (const file of files) {
    const parts = file.path.split('/');
    for (let depth = 1; depth < parts.length; depth += 1)
      byPath.set(`${parts.slice(0, depth).join('/')}/`, undefined);
    byPath.set(file.path, file);
  }
  const sorted = [...byPath].toSorted(([a], [b]) => (a < b ? -1 : 1));
  const parts = sorted.flatMap(([path, file]) => {
    const size = file?.bytes.length ?? 0;
    const mode = !file || file.executable ? 0o755 : 0o644;
    const padding = Buffer.alloc((block - (size % block)) % block);
    return [header(path, size, mode, seconds), ...(file ? [file.bytes, padding] : [])];
  });
  return Buffer.concat([...parts, Buffer.alloc(2 * block)]);
}

export const gzip = (bytes: Buffer): Buffer => gzipSync(bytes, { level: 9 });

function header(path: string, size: number, mode: number, seconds: number): Buffer {
  const [prefix, name] = divided(path);
  const bytes = Buffer.alloc(block);
  const octal = (value: number, length: number) =>
    `${value.toString(8).padStart(length - 1, '0')}\0`;
  bytes.write(name, 0);
  bytes.write(octal(mode, 8), 100);
  bytes.write(octal(0, 8) + octal(0, 8), 108);
  bytes.write(octal(size, 12) + octal(seconds, 12), 124);
  // The checksum counts itself as spaces.
  bytes.write(' '.repeat(8), 148);
  bytes.write(path.endsWith('/') ? '5' : '0', 156);
  // Its version follows the zero byte.
  bytes.write(`ustar\0${'0'.repeat(2)}`, 257);
  bytes.write(prefix, 345);
  const sum = bytes.reduce((total, byte) => total + byte, 0);
  bytes.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return bytes;
}

/** Names have at most 100 bytes, and 155 bytes of directories before them. */
function divided(path: string): [prefix: string, name: string] {
  if (Buffer.byteLength(path) <= 100) return ['', path];
  for (let at = path.indexOf('/'); at > 0; at = path.indexOf('/', at + 1)) {
    const [prefix, name] = [path.slice(0, at), path.slice(at + 1)];
    if (name !== '' && Buffer.byteLength(name) <= 100 && Buffer.byteLength(prefix) <= 155)
      return [prefix, name];
  }
  throw new Error(`The path is too long for an archive: ${path}`);
}
