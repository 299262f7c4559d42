import { Fault } from '@roster/contracts';

/** The key is malformed, unknown, expired or revoked. Requests that share a look-up, or its cached result, get the same fault. */
export class InvalidKey extends Fault {
  constructor(message = 'The API key is malformed, unknown, expired or revoked.') {
    super('unauthenticated', message);
  }
}

/** The browser token is forged, has expired, or its key is revoked. A new one must be made. */
export class InvalidToken extends InvalidKey {
  constructor() {
    super('The browser token is malformed or has expired, or its API key was revoked.');
  }
}
