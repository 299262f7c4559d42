import type { ApolloServerOptions, BaseContext } from '@apollo/server';
import type { DocumentNode } from 'graphql';

type ApolloStore = NonNullable<ApolloServerOptions<BaseContext>['documentStore']>;

/** Maximum number of tokens of all stored documents together, at about 400 bytes each. */
const tokensMax = 100_000;
/** Maximum number of hashes of documents that were sent once. */
const onceMax = 1000;

/**
 * LRU cache of parsed documents by the hash of their text, for Apollo. Stores only documents within the limits that passed
 * validation, from the second time on: those that are never sent again would displace the documents of other clients. Apollo's
 * own store keeps every document that can be parsed, and determines its size by serializing it as JSON, which takes longer than
 * everything else that a hostile document costs.
 */
export class DocumentStore implements ApolloStore {
  /** Least recently used first. */
  readonly #documents = new Map<string, DocumentNode>();
  /** Hashes of documents that were sent once, oldest first. */
  readonly #once = new Set<string>();
  #tokens = 0;

  /** Number of tokens of all stored documents together. */
  get tokens(): number {
    return this.#tokens;
  }

  keep(hash: string, document: DocumentNode): void {
    const { tokenCount: tokens = tokensMax } = document;
    if (tokens > tokensMax || this.#documents.has(hash) || !this.#isAgain(hash)) return;
    for (const [oldest, { tokenCount: released = 0 }] of this.#documents) {
      if (this.#tokens + tokens <= tokensMax) break;
      this.#documents.delete(oldest);
      this.#tokens -= released;
    }
    this.#documents.set(hash, document);
    this.#tokens += tokens;
  }

  #isAgain(hash: string): boolean {
    if (this.#once.delete(hash)) return true;
    this.#once.add(hash);
    if (this.#once.size > onceMax) this.#once.delete(this.#once.values().next().value!);
    return false;
  }

  /** @param key of Apollo: a prefix for the schema, then the hash */
  async get(key: string): Promise<DocumentNode | undefined> {
    const hash = key.slice(key.lastIndexOf(':') + 1);
    const document = this.#documents.get(hash);
    if (document) {
      this.#documents.delete(hash);
      this.#documents.set(hash, document);
    }
    return document;
  }

  /** Does nothing: Apollo calls it with every parsed document, before limits and validation. */
  async set(): Promise<void> {}

  async delete(): Promise<void> {}
}
