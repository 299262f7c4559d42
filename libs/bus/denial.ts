/** A publish or a subscription that the permissions of the NATS user do not allow. */
export class NatsDenial extends Error {
  override readonly name = 'NatsDenial';

  constructor(operation: 'publish' | 'subscription', subject: string) {
    const what = operation === 'publish' ? 'publishing to' : 'the subscription to';
    super(`NATS denies ${what} ${permissionFor(subject)}`);
  }
}

/** Subjects with variable parts are shown as permissions name them, so that few different messages are logged. */
const variable = ['_INBOX.', '$JS.ACK.', 'events.'];

function permissionFor(subject: string): string {
  const prefix = variable.find((start) => subject.startsWith(start));
  return prefix === undefined ? subject : `${prefix}>`;
}
