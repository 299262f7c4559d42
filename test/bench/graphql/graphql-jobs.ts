import { apiKeyOf, contactId } from '../data/data-set.js';
import type { Job } from '../jobs/job.js';
import { getContact } from '../jobs/get.js';
import { listContacts } from '../jobs/list.js';
import { requestText } from '../load/load.js';

const contactFields = 'id email name createdAt tags properties status';

const one = `query Contact($id: ID!) { contact(id: $id) { ${contactFields} } }`;
const fifty = `query Contacts($first: Int!) {
  contacts(first: $first) { totalCount pageInfo { endCursor } nodes { ${contactFields} } }
}`;

/** The same jobs over both interfaces, in pairs with equivalent responses. */
export const graphqlJobs = {
  'rest-contact': {
    title: 'One contact over REST',
    requests: ({ dataSet: { small }, random }) =>
      getContact(small, () => Math.floor(random() * small.contacts)),
  },
  'graphql-contact': {
    title: 'One contact over GraphQL',
    requests({ dataSet: { small }, random }) {
      const apiKey = apiKeyOf(small.first);
      return () => {
        const id = contactId(small.first, Math.floor(random() * small.contacts));
        const body = JSON.stringify({ query: one, variables: { id } });
        return { text: requestText('POST', '/graphql', apiKey, body), status: 200 };
      };
    },
  },
  'rest-contacts': {
    title: '50 contacts and their number over REST',
    requests: ({ dataSet: { small } }) => listContacts(small, () => 'limit=50'),
  },
  'graphql-contacts': {
    title: '50 contacts and their number over GraphQL',
    requests({ dataSet: { small } }) {
      const body = JSON.stringify({ query: fifty, variables: { first: 50 } });
      const text = requestText('POST', '/graphql', apiKeyOf(small.first), body);
      return () => ({ text, status: 200 });
    },
  },
} satisfies Record<string, Job>;

export type GraphqlJob = keyof typeof graphqlJobs;
