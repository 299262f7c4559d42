import { Fault, type HttpBinding } from '@roster/contracts';

/** Said of an id that is unknown, malformed or another workspace's alike: nobody learns which. */
export function missingResource({ tag }: Pick<HttpBinding, 'tag'>): Fault {
  return new Fault('not_found', `No such ${nouns[tag] ?? 'resource'}.`);
}

const nouns: Record<string, string> = {
  Contacts: 'contact',
  'Contact properties': 'contact property',
  Users: 'user',
  Webhooks: 'webhook',
};
