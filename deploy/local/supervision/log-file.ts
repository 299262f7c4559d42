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

/** A log file of limited size that processes append to directly. When it is full, its content moves to `<file>.1`. */
export class LogFile {
  readonly descriptor: number;
  /** Offset at which the current run begins. */
  #start = 0;
  #isFull = false;

  constructor(
    readonly path: string,
    readonly bytesMax = bytesMaxDefault,
  ) {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    this.descriptor = openSync(path, 'a+', 0o600);
  }

  /** Lines are lost when the disk is full: processes keep running, and one line is printed to the terminal. */
  write(text: string): void {
    try {
      writeSync(this.descriptor, text);
      this.#isFull = false;
    } catch (error) {
      if (!this.#isFull) console.error(`Could not write to ${this.path}: ${String(error)}`);
      this.#isFull = true;
    }
  }

  /** Marks the beginning of a run. */
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

  /** Makes room when the file is too large. Writers keep appending and need no notification. */
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
