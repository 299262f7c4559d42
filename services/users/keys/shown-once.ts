import { Fault } from '@roster/contracts';
import { noCipher, type AnswerCipher } from '@roster/service/storage';

/** Of a response with a secret, only the ID of the key is stored: a repeated request is told why it does not get the secret. */
export const shownOnce: AnswerCipher = {
  ...noCipher,
  encrypt: (answer) => (JSON.parse(answer) as { apiKey: { id: string } }).apiKey.id,
  decrypt(existingId) {
    throw new Fault(
      'conflict',
      'The request with this Idempotency-Key was applied, and its response contained a secret, which is not stored. Rotate the API key if the response was lost.',
      { existingId },
    );
  },
};
