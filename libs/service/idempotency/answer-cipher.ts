/** Encrypts stored responses that contain a secret. */
export interface AnswerCipher {
  /** @param boundTo identifies the owner of the text: it cannot be decrypted for any other */
  encrypt(text: string, boundTo: string): string;
  decrypt(text: string, boundTo: string): string;
}

/** For responses without secrets. */
export const noCipher: AnswerCipher = { encrypt: (text) => text, decrypt: (text) => text };
