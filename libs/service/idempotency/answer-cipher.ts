/** Keeps remembered answers that hold a secret unreadable in the database. */
export interface AnswerCipher {
  /** @param boundTo what the text belongs to: it can be decrypted for nothing else */
  encrypt(text: string, boundTo: string): string;
  decrypt(text: string, boundTo: string): string;
}

/** For answers that hold none. */
export const noCipher: AnswerCipher = { encrypt: (text) => text, decrypt: (text) => text };
