import { promisify } from 'node:util';
import {
  brotliCompress,
  brotliCompressSync,
  constants,
  gzip,
  gzipSync,
  type BrotliOptions,
  type ZlibOptions,
} from 'node:zlib';
import type { Coding } from './accepted-coding.js';

export interface Compressor {
  /** Whether a body of this size can be compressed now. Otherwise it is sent as it is: nothing waits for a thread. */
  accepts(bytes: number): boolean;
  /** Compresses a body: at once, or in a thread. */
  compress(body: Uint8Array, coding: Coding): Uint8Array | Promise<Uint8Array>;
}

/** Bodies up to this size are compressed in the event loop, which takes less of its time than a thread that is sent there and back. */
const inlineBytesMax = 32 * 1024;
/** Bodies compressed in threads at a time. Node has four, which also look up names and read files. */
const threadsMax = 2;

/** A higher quality takes two to four times as long, for a tenth of the bytes less. */
const fast = { gzip: 3, br: 1 };
/** For bodies that are compressed once. */
const dense = { gzip: 9, br: 9 };

const gzipOf = (level: number): ZlibOptions => ({ level });
const brotliOf = (quality: number, sizeBytes: number): BrotliOptions => ({
  params: {
    [constants.BROTLI_PARAM_QUALITY]: quality,
    [constants.BROTLI_PARAM_SIZE_HINT]: sizeBytes,
  },
});

const gzipInThread = promisify<Uint8Array, ZlibOptions, Uint8Array>(gzip);
const brotliInThread = promisify<Uint8Array, BrotliOptions, Uint8Array>(brotliCompress);

function inThread(body: Uint8Array, coding: Coding, quality: typeof fast): Promise<Uint8Array> {
  return coding === 'gzip'
    ? gzipInThread(body, gzipOf(quality.gzip))
    : brotliInThread(body, brotliOf(quality.br, body.byteLength));
}

let threads = 0;

/** For bodies that are sent once. */
export const compressor: Compressor = {
  accepts: (bytes) => bytes <= inlineBytesMax || threads < threadsMax,
  compress(body, coding) {
    if (body.byteLength > inlineBytesMax) return compressLarge(body, coding);
    return coding === 'gzip'
      ? gzipSync(body, gzipOf(fast.gzip))
      : brotliCompressSync(body, brotliOf(fast.br, body.byteLength));
  },
};

async function compressLarge(body: Uint8Array, coding: Coding): Promise<Uint8Array> {
  threads += 1;
  try {
    return await inThread(body, coding, fast);
  } finally {
    threads -= 1;
  }
}

/** Compresses one body, and keeps it in each coding that was asked for. After a failure, the next call compresses it again. */
export function compressOnce(): Compressor {
  const kept: Partial<Record<Coding, Promise<Uint8Array>>> = {};
  return {
    accepts: () => true,
    compress: (body, coding) =>
      (kept[coding] ??= inThread(body, coding, dense).catch((error: unknown) => {
        delete kept[coding];
        throw error;
      })),
  };
}
