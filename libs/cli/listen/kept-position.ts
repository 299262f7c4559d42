import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import envPaths from 'env-paths';

import { CommandFailure, exitCodes } from '../failure.js';
import { writeFailure } from '../output.js';
import { localWebhookId } from './local-delivery.js';

/** What forwarding belongs to. */
export interface ForwardingName {
  /** Of Roster. */
  url: string;
  workspaceId: string;
  forwardTo: string;
}

const writtenEveryMs = 20;

interface Content extends ForwardingName {
  secret: string;
  position?: string;
  /** Events behind the position that were answered: an earlier one was not. */
  finished?: string[];
}

/** The folder of what is kept between runs: `$XDG_STATE_HOME/roster`, otherwise that of the operating system. */
export function stateFolder(env: NodeJS.ProcessEnv = process.env): string {
  const { XDG_STATE_HOME: given } = env;
  return given ? join(given, 'roster') : envPaths('roster', { suffix: '' }).log;
}

/** The position and the secret of forwarding to an address, in a file that only this account can read. */
export class KeptPosition {
  readonly #file: string;
  #content: Content;
  #lock: Server | undefined;
  #timer: NodeJS.Timeout | undefined;
  #failure: CommandFailure | undefined;

  private constructor(file: string, content: Content) {
    this.#file = file;
    this.#content = content;
  }

  /**
   * Opens the file, and creates it with a new secret if there is none.
   *
   * @throws CommandFailure if it cannot be read or written
   */
  static open(name: ForwardingName, folder = stateFolder()): KeptPosition {
    const text = `${name.url} ${name.workspaceId} ${name.forwardTo}`;
    const hash = createHash('sha256').update(text).digest('hex').slice(0, 24);
    const file = join(folder, `listen-${hash}.json`);
    const kept = readContent(file);
    const secret = kept?.secret ?? `whsec_${randomBytes(32).toString('base64')}`;
    const opened = new KeptPosition(file, { ...kept, ...name, secret });
    if (!kept) {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      opened.#write();
    }
    return opened;
  }

  get webhook(): { id: string; secret: string } {
    return { id: localWebhookId(this.#file), secret: this.#content.secret };
  }

  get position(): string | undefined {
    return this.#content.position;
  }

  get finished(): readonly string[] {
    return this.#content.finished ?? [];
  }

  /**
   * Locks the position for this process.
   *
   * @throws CommandFailure if another process has
   */
  async lock(): Promise<void> {
    // The operating system gives it up when the process ends, whatever ends it.
    const path = lockPath(this.#file);
    for (let isStale = false; ; isStale = true) {
      const server = createServer((socket) => socket.destroy());
      server.listen(path);
      try {
        await once(server, 'listening');
        this.#lock = server.unref();
        return;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE')
          throw new CommandFailure(writeFailure(path, error as NodeJS.ErrnoException));
      }
      if (isStale || (await answers(path)))
        throw new CommandFailure(
          `Another process forwards to ${this.#content.forwardTo} already: end it first.`,
          exitCodes.conflict,
        );
      rmSync(path, { force: true });
    }
  }

  /**
   * Writes a position, at most once in `writtenEveryMs`: what was answered since the last one is sent again if the process is killed.
   *
   * @throws CommandFailure if it, or the one before, cannot be written
   */
  keep(position: string | undefined, finished: string[]): void {
    if (this.#failure) throw this.#failure;
    if (position === this.#content.position && finished.length === 0) return;
    this.#content = { ...this.#content, ...(position !== undefined && { position }), finished };
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      try {
        this.#write();
      } catch (error) {
        this.#failure = error as CommandFailure;
      }
    }, writtenEveryMs);
  }

  /** @throws CommandFailure if the position cannot be written */
  release(): void {
    this.#lock?.close();
    if (this.#timer === undefined) return;
    clearTimeout(this.#timer);
    this.#write();
  }

  #write(): void {
    const temporary = `${this.#file}.${process.pid}.new`;
    try {
      writeFileSync(temporary, `${JSON.stringify(this.#content, null, 2)}\n`, { mode: 0o600 });
      renameSync(temporary, this.#file);
    } catch (error) {
      rmSync(temporary, { force: true });
      throw new CommandFailure(writeFailure(this.#file, error as NodeJS.ErrnoException));
    }
  }
}

/** A socket has at most about 100 characters. On Windows, it is a named pipe. */
function lockPath(file: string): string {
  if (process.platform === 'win32')
    return `\\\\.\\pipe\\${createHash('sha256').update(file).digest('hex')}`;
  const beside = file.replace(/json$/, 'lock');
  if (beside.length < 100) return beside;
  const hash = createHash('sha256').update(file).digest('hex').slice(0, 32);
  return join(tmpdir(), `roster-${hash}.lock`);
}

/** Whether a process listens on a socket. */
const answers = (path: string): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(path, () => {
      socket.destroy();
      resolve(true);
    });
    socket.on('error', () => resolve(false));
  });

function readContent(file: string): Content | undefined {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return undefined;
    throw new CommandFailure(`${file} cannot be read (${code}).`);
  }
  try {
    const content = JSON.parse(text) as Content;
    if (content.secret.startsWith('whsec_')) return content;
  } catch {
    // As any other file.
  }
  throw new CommandFailure(
    `${file} is damaged: remove it. Forwarding then begins with the events from now on, and with another secret.`,
  );
}
