import { basename } from 'node:path';
import { parse } from 'csv-parse/sync';
import { nameOf, type SourceContact } from './moved-contact.js';

type Row = Record<string, string>;

/** How the entries of a service's files become contacts. */
interface Source<Entry> {
  read(text: string): Entry[];
  contactOf(entry: Entry, file: string): SourceContact;
}

/** A contact of Resend's API. */
export interface ResendContact {
  id: string;
  email?: string;
  first_name?: string | null;
  last_name?: string | null;
  unsubscribed?: boolean;
  created_at?: string;
  properties?: Record<string, unknown> | null;
}

const resend: Source<ResendContact> = {
  read: (text) => JSON.parse(text) as ResendContact[],
  contactOf: ({ id, email = '', first_name, last_name, unsubscribed, created_at, properties }) => ({
    email,
    name: nameOf(first_name, last_name),
    tags: [],
    properties: { ...properties, formerId: id, subscribedAt: created_at },
    status: unsubscribed ? 'unsubscribed' : 'subscribed',
  }),
};

/** Columns that Mailchimp adds to the fields of an audience. */
const mailchimpColumns =
  /^(MEMBER_RATING|(OPTIN|CONFIRM)_(TIME|IP)|LATITUDE|LONGITUDE|GMTOFF|DSTOFF|TIMEZONE|CC|REGION|LAST_CHANGED|LEID|EUID|NOTES|TAGS|(UNSUB|CLEAN)_\w+)$/;

const mailchimp: Source<Row> = {
  read: rowsOf,
  contactOf(row, file) {
    const {
      'Email Address': email = '',
      'First Name': first,
      'Last Name': last,
      ...properties
    } = Object.fromEntries(
      Object.entries(row).filter(([column]) => !mailchimpColumns.test(column)),
    );
    return {
      email,
      name: nameOf(first, last),
      tags: [...(row.TAGS ?? '').matchAll(/"([^"]*)"|([^,"]+)/g)].map(
        ([, quoted, bare]) => quoted ?? bare ?? '',
      ),
      properties: { ...properties, formerId: row.EUID, subscribedAt: row.OPTIN_TIME },
      // An archive of Mailchimp has one file for each state.
      status: basename(file).startsWith('subscribed') ? 'subscribed' : 'unsubscribed',
    };
  },
};

const listmonk: Source<Row> = {
  read: rowsOf,
  contactOf: ({ uuid, email = '', name = '', attributes, status, created_at }) => ({
    email,
    name,
    tags: [],
    properties: {
      ...(JSON.parse(attributes || '{}') as Record<string, unknown>),
      formerId: uuid,
      subscribedAt: created_at,
    },
    status: status === 'enabled' ? 'subscribed' : 'unsubscribed',
  }),
};

/** The services whose contacts `roster contacts import --from` reads. */
export const sources = { mailchimp, resend, listmonk } as const;
export type SourceName = keyof typeof sources;

function rowsOf(text: string): Row[] {
  return parse(text, {
    bom: true,
    columns: true,
    relax_column_count: true,
    skip_empty_lines: true,
  });
}
