import { Dicer } from '@fastify/busboy';
import { Fault, invalidFields, pointerTo } from '@roster/contracts';
import { once } from 'node:events';

/** Maximum number of bytes of a form beside its file: boundaries, and the headers of the part. */
const othersMax = 64 * 1024;
const nameMax = 64;

/**
 * Reads the file of a body of the type `multipart/form-data` (RFC 7578). A form contains one file and nothing else: parameters are in
 * the query, as in requests whose body is the file.
 */
export class FormFile {
  readonly #parser: Dicer;
  #type: string | undefined;
  #failure: Error | undefined;
  #isFinished = false;
  #arrived: Buffer[] = [];
  #ended: Promise<unknown> = Promise.resolve();

  constructor(boundary: string) {
    this.#parser = new Dicer({ boundary });
    this.#parser
      .on('part', (part) => {
        this.#ended = new Promise((resolve) => part.on('end', resolve).on('error', resolve));
        part.on('header', (header) => this.#begin(header as Record<string, string[]>));
        part.on('data', (bytes) => this.#arrived.push(bytes as Buffer));
      })
      .on('finish', () => (this.#isFinished = true))
      .on('error', () => {
        this.#failure ??= new Fault('invalid', 'The form ends before its last boundary.');
      });
  }

  /** The media type of the file, when a part of it has been read. Empty if it has none. */
  get type(): string {
    return this.#type ?? '';
  }

  /**
   * The bytes of the file.
   *
   * @throws Fault `invalid` for a form that does not consist of a file; what `body` throws
   */
  async *read(body: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    let others = 0;
    for await (const part of body) {
      await this.#write(part);
      const arrived = this.#take();
      others += part.length - arrived.length;
      if (others > othersMax)
        throw new Fault('invalid', `The form has more than ${othersMax} bytes beside its file.`);
      if (arrived.length > 0) yield arrived;
    }
    await this.#end();
    const last = this.#take();
    if (this.#type === undefined) throw new Fault('invalid', 'The form contains no file.');
    if (last.length > 0) yield last;
  }

  /** After the last boundary, the parser calls back no more. */
  async #write(bytes: Buffer): Promise<void> {
    if (this.#parser.writable)
      await new Promise<unknown>((resolve) => this.#parser.write(bytes, resolve));
  }

  async #end(): Promise<void> {
    if (!this.#isFinished) {
      const finished = once(this.#parser, 'finish').catch(() => {});
      this.#parser.end();
      await finished;
    }
    if (!this.#failure) await this.#ended;
  }

  /** What has arrived of the file. */
  #take(): Buffer {
    if (this.#failure) throw this.#failure;
    const arrived = this.#arrived.length === 1 ? this.#arrived[0]! : Buffer.concat(this.#arrived);
    this.#arrived = [];
    return arrived;
  }

  #begin(header: Record<string, string[]>): void {
    const [disposition = ''] = header['content-disposition'] ?? [];
    const [type = ''] = header['content-type'] ?? [];
    const [encoding = 'binary'] = header['content-transfer-encoding'] ?? [];
    if (!/;\s*filename\*?\s*=/i.test(disposition)) this.#failure ??= notFile(disposition);
    else if (this.#type !== undefined)
      this.#failure ??= new Fault('invalid', 'The form contains several files. Send one of them.');
    else if (!/^(?:7bit|8bit|binary)$/i.test(encoding.trim()))
      this.#failure ??= new Fault(
        'unsupported_media_type',
        'The file must have no Content-Transfer-Encoding.',
      );
    this.#type ??= type;
  }
}

function notFile(disposition: string): Fault {
  const [, name = ''] = /;\s*name\s*=\s*"?([^";]*)/i.exec(disposition) ?? [];
  const field = Buffer.from(name, 'latin1').toString().slice(0, nameMax).toWellFormed();
  const message = 'is not a file. A form contains the file only: parameters are in the query';
  return invalidFields([{ pointer: pointerTo([field]), message }]);
}
