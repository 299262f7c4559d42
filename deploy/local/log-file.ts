import {
  closeSync,
  copyFileSync,
  fstatSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';

const bytesMaxDefault = 16 * 1024 * 1024;
const tailBytes = 64 * 1024;

/** A log that processes write to by themselves, kept below a size: what was in it before moves to `<file>.1`. */
export class LogFile {
  readonly descriptor: number;
  /** Where what is written from now on begins. */
  #start = 0;
  #isFull = false;

  constructor(
    readonly path: string,
    readonly bytesMax = bytesMaxDefault,
  ) {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    this.descriptor = openSync(path, 'a+', 0o600);
  }

  /** Lost when the disk is full: what runs goes on, and the terminal says so once. */
  write(text: string): void {
    try {
      writeSync(this.descriptor, text);
      this.#isFull = false;
    } catch (error) {
      if (!this.#isFull) console.error(`Could not write to ${this.path}: ${String(error)}`);
      this.#isFull = true;
    }
  }

  /** Marks where the run of a process begins. */
  begin(): void {
    this.#start = fstatSync(this.descriptor).size;
  }

  /** The last lines since `begin`. */
  tail(linesMax: number): string[] {
    const { size } = fstatSync(this.descriptor);
    const from = Math.max(this.#start <= size ? this.#start : 0, size - tailBytes);
    const buffer = Buffer.alloc(size - from);
    const length = readSync(this.descriptor, buffer, 0, buffer.length, from);
    const lines = buffer.toString('utf8', 0, length).split('\n');
    return lines.filter((line) => line.trim() !== '').slice(-linesMax);
  }

  /** Makes room when the file is too large. The writers go on appending: they need not know. */
  bound(): void {
    if (fstatSync(this.descriptor).size <= this.bytesMax) return;
    try {
      copyFileSync(this.path, `${this.path}.1`);
    } catch (error) {
      console.error(`Could not keep ${this.path}: ${String(error)}`);
    }
    ftruncateSync(this.descriptor, 0);
    this.#start = 0;
  }

  close(): void {
    closeSync(this.descriptor);
  }
}
