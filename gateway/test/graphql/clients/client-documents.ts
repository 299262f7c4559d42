import { gql } from '@apollo/client';

export const contactsDocument = gql`
  query Contacts($first: Int, $after: String, $last: Int, $before: String) {
    contacts(first: $first, after: $after, last: $last, before: $before) {
      totalCount
      pageInfo {
        hasNextPage
        hasPreviousPage
        startCursor
        endCursor
      }
      edges {
        cursor
        node {
          id
          email
        }
      }
    }
  }
`;
export const createDocument = gql`
  mutation Create($input: CreateContactInput!) {
    createContact(input: $input) {
      contact {
        id
      }
    }
  }
`;
export const eventsDocument = gql`
  subscription Events {
    events {
      id
      kind
    }
  }
`;

export interface ContactsResult {
  contacts: {
    totalCount: number;
    pageInfo: {
      hasNextPage: boolean;
      hasPreviousPage: boolean;
      startCursor: string;
      endCursor: string;
    };
    edges: { cursor: string; node: { id: string; email: string } }[];
  };
}

/** Emails of the contacts that `stubManyContacts` returns. */
export const emailsOfMany = (count: number): string[] =>
  Array.from({ length: count }, (_, index) => `c${index}@example.com`);

export const emailsOf = ({ contacts }: ContactsResult): string[] =>
  contacts.edges.map(({ node }) => node.email);
