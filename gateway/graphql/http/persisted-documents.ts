import { Fault } from '@roster/contracts';
import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { refused } from '../errors.js';

const manifest = z.record(z.string(), z.string());

/** The list of allowed documents. */
export class PersistedDocuments {
  readonly #documents: ReadonlyMap<string, string>;

  constructor(documents: Readonly<Record<string, string>>) {
    for (const [sha256, document] of Object.entries(documents)) {
      if (hash('sha256', document) !== sha256)
        throw new DocumentsError(
          `contains a document whose SHA-256 hash does not match: ${sha256}`,
        );
    }
    this.#documents = new Map(Object.entries(documents));
  }

  /**
   * @param path of a JSON object: documents by their SHA-256, as `graphql-codegen` and `relay-compiler` write it
   * @throws DocumentsError if the file cannot be read, is not such an object, or a hash does not match
   */
  static read(path: string): PersistedDocuments {
    const { success, data } = manifest.safeParse(readJson(path));
    if (success) return new PersistedDocuments(data);
    throw new DocumentsError(
      `names a file that is not a JSON object of documents by their SHA-256: ${path}`,
    );
  }

  /** Replaces references to documents by the listed documents. */
  inBody(body: object): object {
    return Array.isArray(body) ? body.map((one) => this.#listed(one)) : this.#listed(body);
  }

  inSearch(search: string): string {
    const params = new URLSearchParams(search);
    const read = (name: string) => params.get(name) ?? undefined;
    const extensions = parseExtensions(read('extensions'));
    const given = { query: read('query'), documentId: read('documentId'), extensions };
    params.set('query', this.find(given));
    params.delete('extensions');
    return `?${params.toString()}`;
  }

  /** @throws GraphQLError `document_not_listed` */
  find({ query, documentId, extensions }: DocumentReference): string {
    const persisted = (extensions as PersistedExtension | undefined)?.persistedQuery?.sha256Hash;
    const named = typeof documentId === 'string' ? documentId.replace(/^sha256:/, '') : undefined;
    const sha256 =
      named ?? persisted ?? (typeof query === 'string' ? hash('sha256', query) : undefined);
    const document = sha256 === undefined ? undefined : this.#documents.get(sha256);
    if (document !== undefined) return document;
    throw refused('document_not_listed', 'The document is not in the list of allowed documents.');
  }

  #listed(request: unknown): object {
    if (typeof request !== 'object' || request === null)
      throw new Fault('invalid_json', 'Each operation of a batch must be a JSON object.');
    const { extensions: _, ...rest } = request as DocumentReference;
    return { ...rest, query: this.find(request) };
  }
}

/** The list of documents is invalid. The message completes the name of the variable that refers to the file. */
export class DocumentsError extends Error {
  override readonly name = 'DocumentsError';
}

function readJson(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    const { code } = error as NodeJS.ErrnoException;
    throw new DocumentsError(`refers to a file that cannot be read (${code}): ${path}`);
  }
}

/** Reference to a document: its full text, `documentId` (draft of the specification, Relay) or the extension of APQ. */
interface DocumentReference {
  query?: unknown;
  documentId?: unknown;
  extensions?: unknown;
}

interface PersistedExtension {
  persistedQuery?: { sha256Hash?: string };
}

function parseExtensions(text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}
