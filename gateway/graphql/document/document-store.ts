import type { ApolloServerOptions, BaseContext } from '@apollo/server';
import type { DocumentNode } from 'graphql';

type ApolloStore = NonNullable<ApolloServerOptions<BaseContext>['documentStore']>;

/** Tokens of all kept documents together: some 400 bytes each. */
const tokensMax = 100_000;

/**
 * Parsed documents by the hash of their text, as Apollo asks for them: those that passed the limits and are valid. Apollo's
 * own store keeps whatever can be parsed, and measures it by writing all of it as JSON, which takes longer than all else
 * that a hostile document costs.
 */
export class DocumentStore implements ApolloStore {
  /** In the order of use: what was not used for longest makes room. */
  readonly #documents = new Map<string, DocumentNode>();
  #tokens = 0;

  /** What the kept documents have in tokens together. */
  get tokens(): number {
    return this.#tokens;
  }

  keep(hash: string, document: DocumentNode): void {
    const { tokenCount: tokens = tokensMax } = document;
    if (tokens > tokensMax || this.#documents.has(hash)) return;
    for (const [oldest, { tokenCount: released = 0 }] of this.#documents) {
      if (this.#tokens + tokens <= tokensMax) break;
      this.#documents.delete(oldest);
      this.#tokens -= released;
    }
    this.#documents.set(hash, document);
    this.#tokens += tokens;
  }

  /** @param key Apollo's: the hash, behind a prefix of the schema's */
  async get(key: string): Promise<DocumentNode | undefined> {
    const hash = key.slice(key.lastIndexOf(':') + 1);
    const document = this.#documents.get(hash);
    if (document) {
      this.#documents.delete(hash);
      this.#documents.set(hash, document);
    }
    return document;
  }

  /** Called with what was parsed, whether or not it is anything to keep. */
  async set(): Promise<void> {}

  async delete(): Promise<void> {}
}
