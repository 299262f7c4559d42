import { Fault } from '@roster/contracts';
import { noCipher, type AnswerCipher } from '@roster/storage';

/** Stores only the ID of the key of a response with a secret. A repeated request is answered `conflict` with that ID. */
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
