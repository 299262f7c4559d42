import { Fault, type HttpBinding } from '@roster/contracts';

/** Said of an id that is unknown, malformed or another workspace's alike: nobody learns which. */
export function missingResource({ path }: Pick<HttpBinding, 'path'>): Fault {
  const parameter = /\{(\w+)\}/.exec(path)?.[1] ?? '';
  return new Fault('not_found', `No such ${nouns[parameter] ?? 'resource'}.`);
}

const nouns: Record<string, string> = {
  contactId: 'contact',
  propertyId: 'contact property',
  webhookId: 'webhook',
  deliveryId: 'delivery',
  replayId: 'replay',
};
