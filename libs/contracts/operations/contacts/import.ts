import { z } from 'zod';
import { entriesAtMost } from '../../entries-at-most.js';
import type { FaultCode } from '../../fault.js';
import { idSchema } from '../../ids.js';
import { defineOperation } from '../../operation.js';
import { afterInput, forwardPagination, idCursor, limitInput } from '../../page.js';
import { text, timestamp } from '../../text.js';
import { noticeCodes } from './notice.js';

/**
 * Bounds of imports. `active` and `bytes` are those of a workspace, `errors` is the number of failed rows that are kept. `bytes` counts
 * rows as they are stored, with their texts.
 */
export const importLimits = {
  active: 4,
  fileBytes: 1024 * 1024 * 1024,
  bytes: 2 * 1024 * 1024 * 1024,
  rows: 10_000_000,
  chunkRows: 500,
  chunkBytes: 256 * 1024,
  rowBytes: 128 * 1024,
  /** Longer texts of rows are not kept. As JSON, as a contact has 10,000 bytes at most. */
  textBytes: 16 * 1024,
  /** JSON values of a line of NDJSON. */
  rowValues: 5_000,
  errors: 10_000,
  columns: 1100,
  /** Of the beginning of a file that is previewed. */
  previewBytes: 256 * 1024,
  previewRows: 20,
} as const;

export const importModes = ['upsert', 'skip'] as const;
export const importEvents = ['each', 'summary'] as const;
/** What can separate the columns of CSV. */
export const importDelimiters = [',', ';', '\t', '|'] as const;
export const importFormats = ['csv', 'ndjson'] as const;
export const importStatuses = [
  'uploading',
  'queued',
  'running',
  'completed',
  'cancelled',
  'failed',
] as const;

/** Why a row is not imported. `invalid_json` is a line of NDJSON that cannot be read, `malformed` a row of CSV. */
const refusalCodes = [
  'conflict',
  'invalid',
  'invalid_json',
  'limit_reached',
  'malformed',
  'quota_exceeded',
] as const satisfies readonly (FaultCode | 'malformed')[];

/** Rows with the code of a notice are imported. */
export const importErrorCodes = [...refusalCodes, ...noticeCodes] as const;

/** Position of an import in the order of creation. */
export const importCursor = idCursor('import');

const count = (description: string) => z.int().meta({ description });

export const importShape = z
  .object({
    id: idSchema('import'),
    status: z.enum(importStatuses),
    format: z.enum(importFormats),
    mode: z.enum(importModes),
    events: z.enum(importEvents),
    dryRun: z.boolean(),
    total: count('Number of rows received.'),
    done: count('Number of rows handled.'),
    created: count('Number of contacts created.'),
    updated: count('Number of existing contacts updated.'),
    skipped: count('Number of existing contacts left unchanged by the mode `skip`.'),
    failed: count('Number of rows that were refused.'),
    /** Until 0.4.0: a service of 0.2.0 does not send it. */
    notices: count(
      'Number of rows that were imported, but not in all as requested: see their lines in the errors.',
    ).optional(),
    reason: z
      .string()
      .nullable()
      .meta({ description: 'Why an import with the status `failed` failed. Otherwise null.' }),
    fileName: z
      .string()
      .nullable()
      .meta({ description: 'Name of the file, if it was given with the import.' }),
    createdAt: timestamp,
    endedAt: timestamp.nullable().meta({ description: 'Null until the import has ended.' }),
  })
  .meta({ id: 'Import' });

const rowError = z.object({
  row: z.int().meta({
    description:
      'Number of the row in the file: the header of a CSV file is row 1, as is the first line of NDJSON.',
  }),
  pointer: z.string().meta({ description: 'JSON Pointer to the field; empty for the whole row.' }),
  code: z.enum(importErrorCodes),
  message: z.string(),
  /** The row as it is in the file, with the first of its errors. Null if it is too long. */
  text: z.string().nullish(),
});

/** The first row of a CSV file: what separates its columns, and their names. */
const importHeader = z.object({
  delimiter: z.enum(importDelimiters),
  columns: z.array(z.string().max(256)).max(importLimits.columns),
});
export type ImportHeader = z.output<typeof importHeader>;

/** Numbers that the database stores in four bytes. */
const int32Max = 2 ** 31 - 1;
const row = z.int().min(1).max(int32Max);

const contact = entriesAtMost(
  importLimits.rowValues,
  z.record(z.string().max(importLimits.rowBytes), z.unknown()),
);

/** A row, or the reason why the gateway could not read it. The service parses the contact: a wrong row refuses no other. */
const importRow = z.union(
  [
    z.strictObject({ row, contact }),
    z.strictObject({
      row,
      problem: z.strictObject({
        code: z.enum(refusalCodes),
        pointer: z.string().max(1000).default(''),
        message: z.string().max(1000),
      }),
    }),
  ],
  { error: 'must be a row with a contact or a problem' },
);
export type ImportRow = z.output<typeof importRow>;

const previewedColumn = z.object({
  name: z.string(),
  field: z.string().nullable().meta({
    description:
      'The field that it is imported into, as `map` names it: `email`, `name`, `tags`, `addTags`, `removeTags`, `status`, `unsubscribed`, `externalId` or `properties.city`. Null if it is not imported.',
  }),
  problem: z.string().nullable().meta({
    description: 'Why it must be mapped or renamed, because imports refuse the file otherwise.',
  }),
  values: z
    .array(z.string())
    .max(3)
    .meta({ description: 'Its first values that are not empty, up to 100 characters of each.' }),
});
export type PreviewedColumn = z.output<typeof previewedColumn>;

const previewShape = z
  .object({
    format: z.enum(importFormats),
    delimiter: z
      .enum(importDelimiters)
      .optional()
      .meta({ description: 'Of CSV: what separates its columns.' }),
    columns: z
      .array(previewedColumn)
      .max(importLimits.columns)
      .optional()
      .meta({ description: 'Of CSV: its columns, in their order.' }),
    errors: z.array(z.object({ pointer: z.string(), message: z.string() })).meta({
      description:
        'The errors with which an import with these parameters is refused. Without any, `rows` are those that it would read.',
    }),
    rows: z
      .array(
        z.object({
          row: z.int().meta({ description: 'Number of the row in the file, as in its errors.' }),
          contact: z.record(z.string(), z.unknown()).nullable().meta({
            description:
              'The fields of the row, with values of the types of their properties. Null for a row that cannot be divided into fields.',
          }),
          errors: z
            .array(
              z.object({
                pointer: z.string(),
                code: z.enum(importErrorCodes),
                message: z.string(),
              }),
            )
            .meta({
              description: 'Why the row would be refused, and notices, as in a dry run.',
            }),
        }),
      )
      .max(importLimits.previewRows),
  })
  .meta({ id: 'ImportPreview' });

const importId = idSchema('import');
const one = z.object({ import: importShape });
const tag = 'Imports';
const partOf = ['imports.create'];

const mediaTypes = [
  'text/csv',
  'application/x-ndjson',
  'multipart/form-data',
  'application/octet-stream',
];

/** What the query of an upload contains, and the format of its body. */
const parameters = z.strictObject({
  format: z.enum(importFormats).default('csv'),
  mode: z.enum(importModes).default('upsert').meta({
    description: 'Whether existing contacts are updated (`upsert`) or left unchanged (`skip`).',
  }),
  dryRun: z
    .boolean()
    .default(false)
    .meta({ description: 'Check all rows and count the outcomes without changing contacts.' }),
  events: z.enum(importEvents).default('each').meta({
    description:
      'Whether each contact that is created or changed causes an event (`each`), or only the end of the import, IMPORT_ENDED, which every import causes (`summary`).',
  }),
  map: entriesAtMost(importLimits.columns, z.record(z.string().max(256), z.string().max(256)))
    .optional()
    .meta({
      description:
        'Fields of columns, as `E-mail:email`. An empty field (`Note:`) ignores its column.',
    }),
  delimiter: z.enum(importDelimiters).optional().meta({
    description:
      'What separates the columns of CSV: a comma, a semicolon, a tab (`%09`) or `|`. Found from the first row by default.',
  }),
  fileName: text(1, 255)
    .refine((name) => !/\p{Cc}/u.test(name), {
      error: 'must not contain control characters',
    })
    .optional()
    .meta({ description: 'Name of the file, which is shown with the import.' }),
  resubscribe: z.boolean().optional().meta({
    description:
      'Whether to subscribe the contacts of all rows without the status `unsubscribed`, also if they or their addresses have unsubscribed.',
  }),
});

/** What sends rows requires both scopes: an import creates and updates contacts. */
export const importOperations = {
  /** The gateway calls it with the format of the body, sends the rows by `imports.append`, and answers as `imports.finish`. */
  'imports.create': defineOperation({
    name: 'imports.create',
    summary: 'Import contacts from CSV or newline-delimited JSON',
    service: 'contacts',
    access: 'write',
    scope: 'api_user',
    alsoScope: 'user',
    audited: true,
    tag,
    http: {
      method: 'POST',
      path: '/v1/imports',
      status: 202,
      upload: {
        mediaTypes,
        bytesMax: importLimits.fileBytes,
      },
    },
    input: parameters,
    output: one,
    faults: ['conflict', 'limit_reached'],
  }),
  /**
   * The gateway reads the beginning of a file, and sends its first rows: the service tries them, and changes nothing. The gateway adds
   * what it read of the columns. It sends none of a file that an import refuses.
   */
  'imports.preview': defineOperation({
    name: 'imports.preview',
    summary: 'Show how an import reads the beginning of a file, without storing anything',
    service: 'contacts',
    access: 'read',
    scope: 'api_user',
    alsoScope: 'user',
    partOf,
    bulk: { requestsOf: () => 1 },
    tag,
    http: {
      method: 'POST',
      path: '/v1/imports/preview',
      status: 200,
      upload: { mediaTypes, bytesMax: importLimits.previewBytes, contains: ['rows'] },
    },
    input: parameters.extend({
      rows: z.array(importRow).max(importLimits.previewRows).optional(),
    }),
    output: z.object({ preview: previewShape }),
    faults: [],
  }),
  /** Idempotent by import and ordinal: the first chunk is 0. */
  'imports.append': defineOperation({
    name: 'imports.append',
    summary: 'Store a chunk of the rows of an import',
    service: 'contacts',
    access: 'write',
    scope: 'api_user',
    alsoScope: 'user',
    partOf,
    unexposed: true,
    bulk: { requestsOf: () => 1 },
    resource: 'import',
    input: z.strictObject({
      importId,
      ordinal: z.int().min(0).max(int32Max),
      rows: z
        .array(importRow)
        .min(1)
        .max(importLimits.chunkRows)
        .meta({ examples: [[{ row: 2, contact: { email: 'ada@example.com' } }]] }),
      /** The rows as they are in the file, for those that are refused. Not in `rows`, where 0.2.0 refuses unknown fields. */
      texts: z
        .array(z.string().max(importLimits.textBytes).nullable())
        .max(importLimits.chunkRows)
        .optional(),
      /** With the first chunk of a CSV file. */
      header: importHeader.optional(),
    }),
    output: z.object({ received: z.literal(true) }),
    faults: ['not_found', 'conflict', 'limit_reached'],
  }),
  /** Idempotent. With a failure, the import fails instead; this succeeds whatever was stored. */
  'imports.finish': defineOperation({
    name: 'imports.finish',
    summary: 'End the upload of an import',
    service: 'contacts',
    access: 'write',
    scope: 'api_user',
    alsoScope: 'user',
    partOf,
    unexposed: true,
    resource: 'import',
    input: z.strictObject({
      importId,
      /** Numbers of chunks and rows that were sent. */
      chunks: z.int().min(0),
      total: z.int().min(0),
      failure: z.string().max(1000).optional(),
    }),
    output: one,
    faults: ['not_found', 'conflict'],
  }),
  'imports.list': defineOperation({
    name: 'imports.list',
    summary: 'List imports, newest first',
    service: 'contacts',
    access: 'read',
    scope: 'user',
    tag,
    http: { method: 'GET', path: '/v1/imports', status: 200 },
    input: z.strictObject({ limit: limitInput('imports'), after: afterInput }),
    output: z.object({ imports: z.array(importShape), pagination: forwardPagination }),
    faults: [],
  }),
  'imports.get': defineOperation({
    name: 'imports.get',
    summary: 'Get the progress of an import',
    service: 'contacts',
    access: 'read',
    scope: 'user',
    resource: 'import',
    tag,
    http: { method: 'GET', path: '/v1/imports/{importId}', status: 200, etag: { maintained: [] } },
    input: z.strictObject({ importId }),
    output: one,
    faults: ['not_found'],
  }),
  /** Returns whole rows; the gateway writes all pages into one file. */
  'imports.list-errors': defineOperation({
    name: 'imports.list-errors',
    summary: 'Download the errors of an import as CSV',
    service: 'contacts',
    access: 'read',
    scope: 'user',
    resource: 'import',
    tag,
    http: {
      method: 'GET',
      path: '/v1/imports/{importId}/errors',
      status: 200,
      file: ['text/csv'],
    },
    input: z.strictObject({
      importId,
      after: z
        .int()
        .min(0)
        .max(int32Max)
        .optional()
        .meta({ description: 'Only errors of rows after this one.' }),
    }),
    output: z.object({
      errors: z.array(rowError),
      header: importHeader.nullish(),
      /** The value of `after` for the next page; null on the last page. */
      next: z.int().nullable(),
    }),
    faults: ['not_found'],
  }),
  'imports.cancel': defineOperation({
    name: 'imports.cancel',
    summary: 'Cancel an import; rows already handled are kept',
    service: 'contacts',
    access: 'write',
    scope: 'user',
    audited: true,
    resource: 'import',
    tag,
    http: { method: 'POST', path: '/v1/imports/{importId}/cancel', status: 200 },
    input: z.strictObject({ importId }),
    output: one,
    faults: ['not_found'],
  }),
};
