import { timingSafeEqual } from 'node:crypto';
import { Fault } from '@roster/contracts';

/** The keys of operators. Only their SHA-256 is known. */
export class AdminKeys {
  readonly #digests: readonly Buffer[];

  /** @param sha256s in hex; several while keys are rotated, none if workspaces are not administered over HTTP */
  constructor(sha256s: readonly string[]) {
    this.#digests = sha256s.map((sha256) => Buffer.from(sha256, 'hex'));
  }

  get isEmpty(): boolean {
    return this.#digests.length === 0;
  }

  /** Compares with every key in constant time. */
  has(sha256: string): boolean {
    const digest = Buffer.from(sha256, 'hex');
    let found = false;
    for (const known of this.#digests) found = timingSafeEqual(known, digest) || found;
    return found;
  }

  /** @throws Fault `unauthenticated` */
  require({ adminKey }: { adminKey: string }): void {
    if (!this.has(adminKey)) throw new Fault('unauthenticated', 'The admin key is not valid.');
  }
}
