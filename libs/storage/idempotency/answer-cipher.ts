import { hash } from 'node:crypto';

/** How a call and its response are stored: the response is encrypted, and the input hashed, if they may contain a secret. */
export interface AnswerCipher {
  /** @param boundTo identifies the owner of the text: it cannot be decrypted for any other */
  encrypt(text: string, boundTo: string): string;
  decrypt(text: string, boundTo: string): string;
  hashInput(input: string, boundTo: string): Buffer;
  /** Whether an input has the hash that was stored with a response. */
  isInputOf(stored: StoredCall, input: string, boundTo: string): boolean;
}

/** What is stored of a call. */
export interface StoredCall {
  inputHash: Buffer;
  /** Encrypted. */
  answer: string;
}

/**
 * For calls without secrets: everything in their inputs and responses is stored in plain text by the same service, so that a hash
 * that can be found by guessing tells a reader of the database nothing more. A test of the contracts
 * finds operations of other services than webhooks whose inputs contain a secret.
 */
export const noCipher: AnswerCipher = {
  encrypt: (text) => text,
  decrypt: (text) => text,
  hashInput: (input) => hash('sha256', input, 'buffer'),
  isInputOf: ({ inputHash }, input) => hash('sha256', input, 'buffer').equals(inputHash),
};
