import { readFileSync } from 'node:fs';

import { Command, Option } from '@commander-js/extra-typings';
import type { WebhookHealth, WebhookHour, WebhookListed } from '@roster/client';

import type { Run } from '../context.js';
import { UsageError } from '../failure.js';
import type { Column } from '../output.js';
import { withExamples } from './examples.js';
import { collect, given, json, kind, subscribedKinds, wholeNumber } from './values.js';

export const webhooks = (run: Run) =>
  new Command('webhooks')
    .description('Webhooks of the workspace: where its events are delivered to.')
    .addCommand(list(run))
    .addCommand(get(run))
    .addCommand(create(run))
    .addCommand(update(run))
    .addCommand(rotate(run))
    .addCommand(test(run))
    .addCommand(health(run))
    .addCommand(enable(run))
    .addCommand(disable(run))
    .addCommand(remove(run));

const columns: readonly Column<WebhookListed>[] = [
  { name: 'id', of: ({ id }) => id, whole: true },
  { name: 'description', of: ({ description }) => description },
  { name: 'url', of: ({ url }) => url },
  { name: 'status', of: ({ status }) => status },
  { name: 'events', of: ({ events }) => events },
  { name: 'last success', of: ({ lastSuccessAt }) => lastSuccessAt },
  { name: 'last failure', of: ({ lastFailureAt }) => lastFailureAt },
];

const list = (run: Run) =>
  withExamples(
    new Command('list').description('List webhooks.').action(
      run(async ({ roster, output, signal }) => {
        const { webhooks } = await roster.webhooks.list({ signal });
        await output.list(webhooks, columns, 'There is no webhook.');
      }),
    ),
    'roster webhooks list',
  );

const get = (run: Run) =>
  withExamples(
    new Command('get')
      .description('Show a webhook, with its secrets.')
      .argument('<webhook>', 'ID')
      .action(
        run(async ({ roster, output, signal }, id) =>
          output.item(await roster.webhooks.get(id, { signal })),
        ),
      ),
    'roster webhooks get wh_…',
  );

const payload = () =>
  new Option('--payload <payload>', 'fields of a delivery').choices(['compact', 'full'] as const);
const events = [
  '--events <kinds>',
  'event kinds, separated by commas; all for all kinds, also later ones',
  subscribedKinds,
] as const;
const rate = [
  '--rate-per-second <attempts>',
  'maximum number of attempts per second',
  wholeNumber,
] as const;
const traced = [
  '--trace-context',
  'send traceparent and tracestate of the requests that cause events',
] as const;
const headersFile = '--headers-file <file>';
const tokenFile = '--token-file <file>';
const description = ['--description <text>', 'what the webhook is for'] as const;

const create = (run: Run) =>
  withExamples(
    new Command('create')
      .description('Create a webhook. Prints the secret that its deliveries are signed with.')
      .argument('<url>')
      .requiredOption(...events)
      .addOption(payload())
      .option(...description)
      .option(...rate)
      .option('--filter <json>', 'which events of contacts it receives, as JSON', json)
      .option(...traced)
      .option(headersFile, 'file with a header of its deliveries in each line, as Name: value')
      .option(tokenFile, 'file with the token; a generated one by default')
      .action(
        run(async ({ roster, output, signal }, url, options) => {
          const { tokenFile: file, headersFile: headers, ...fields } = options;
          const input = given({
            ...{ url, ...fields, token: readToken(file) },
            headers: readHeaders(headers),
          });
          await output.item(await roster.webhooks.create(input, { signal }));
        }),
      ),
    'roster webhooks create https://example.com/hook --events CONTACT_CREATED,CONTACT_UPDATED',
    'roster webhooks create https://example.com/all --events all --description "All events"',
  );

const update = (run: Run) =>
  withExamples(
    new Command('update')
      .description('Update a webhook. Fields that are not given are kept.')
      .argument('<webhook>', 'ID')
      .option('--endpoint <url>', 'new URL; enables the webhook')
      .option(...events)
      .addOption(payload())
      .option(description[0], `${description[1]}; empty removes it`)
      .option(
        '--filter <json>',
        'which events of contacts it receives, as JSON; null removes it',
        json,
      )
      .option(rate[0], `${rate[1]}; 0 removes it`, wholeNumber)
      .option(...traced)
      .option('--no-trace-context', 'send them no longer')
      .option(headersFile, 'file with a header to set in each line, as Name: value')
      .option('--remove-header <name>', 'header to remove; can be repeated', collect)
      .action(
        run(async ({ roster, output, signal }, id, options) => {
          const {
            endpoint,
            description,
            headersFile: file,
            removeHeader,
            ratePerSecond,
            ...fields
          } = options;
          const removed = removeHeader?.map((name) => [name, null] as const);
          const input = given({
            ...{ url: endpoint, ...fields },
            headers:
              (file ?? removed) === undefined
                ? undefined
                : { ...readHeaders(file), ...Object.fromEntries(removed ?? []) },
            description: description === '' ? null : description,
            ratePerSecond: ratePerSecond === 0 ? null : ratePerSecond,
          });
          if (Object.keys(input).length === 0)
            throw new UsageError('Nothing to update: see `roster webhooks update --help`.');
          await output.item(await roster.webhooks.update(id, input, { signal }));
        }),
      ),
    'roster webhooks update wh_… --events CONTACT_DELETED',
    'roster webhooks update wh_… --trace-context',
    `roster webhooks update wh_… --filter '{"tag": ["any:vip,customer"]}'`,
  );

const rotate = (run: Run) =>
  withExamples(
    new Command('rotate')
      .description('Replace the secret of a webhook. Deliveries are signed with both for a while.')
      .argument('<webhook>', 'ID')
      .option(tokenFile, 'file with the new token; a generated one by default')
      .option('--overlap-seconds <seconds>', 'how long the old one is used too', wholeNumber)
      .action(
        run(async ({ roster, output, signal }, id, { tokenFile: file, overlapSeconds }) => {
          const input = given({ token: readToken(file), overlapSeconds });
          await output.item(await roster.webhooks.rotateToken(id, input, { signal }));
        }),
      ),
    'roster webhooks rotate wh_… --overlap-seconds 3600',
  );

const test = (run: Run) =>
  withExamples(
    new Command('test')
      .description('Send a test event to a webhook. Prints its delivery.')
      .argument('<webhook>', 'ID')
      .option('--kind <kind>', 'event kind', kind, 'CONTACT_CREATED')
      .action(
        run(async ({ roster, output, signal }, id, { kind }) =>
          output.item(await roster.webhooks.test(id, { kind }, { signal })),
        ),
      ),
    'roster webhooks test wh_… --kind CONTACT_UPDATED',
  );

const hourColumns: readonly Column<WebhookHour>[] = [
  { name: 'hour', of: ({ hour }) => hour, whole: true },
  { name: 'attempts', of: ({ attempts }) => attempts, align: 'right' },
  { name: 'successes', of: ({ successes }) => successes, align: 'right' },
  { name: 'failures', of: ({ failures }) => failures, align: 'right' },
  { name: 'p50 ms', of: ({ p50Ms }) => p50Ms, align: 'right' },
  { name: 'p95 ms', of: ({ p95Ms }) => p95Ms, align: 'right' },
];

const healthColumns: readonly Column<WebhookHealth>[] = [
  { name: 'webhook', of: ({ webhookId }) => webhookId, whole: true },
  { name: 'attempts', of: ({ attempts }) => attempts, align: 'right' },
  { name: 'successes', of: ({ succeeded }) => succeeded, align: 'right' },
  { name: 'failures', of: ({ failed }) => failed, align: 'right' },
  { name: 'p50 ms', of: ({ p50Ms }) => p50Ms, align: 'right' },
  { name: 'p95 ms', of: ({ p95Ms }) => p95Ms, align: 'right' },
];

const health = (run: Run) =>
  withExamples(
    new Command('health')
      .description(
        'Show delivery statistics of the webhooks in the last 24 hours, or those of one by the hour for the last seven days.',
      )
      .argument('[webhook]', 'ID')
      .action(
        run(async ({ roster, output, signal }, id) => {
          if (id === undefined) {
            const { webhooks } = await roster.webhookHealth.get({}, { signal });
            await output.list(webhooks, healthColumns, 'Nothing was sent in the last 24 hours.');
          } else {
            const { hours } = await roster.webhooks.stats(id, { signal });
            await output.list(hours, hourColumns, 'Nothing was sent to it in the last seven days.');
          }
        }),
      ),
    'roster webhooks health',
    'roster webhooks health wh_…',
  );

const enable = (run: Run) =>
  withExamples(
    new Command('enable')
      .description(
        'Enable a webhook. Deliveries that wait for a retry continue; events that happened while it was disabled stay skipped.',
      )
      .argument('<webhook>', 'ID')
      .action(
        run(async ({ roster, output, signal }, id) =>
          output.item(await roster.webhooks.enable(id, { signal })),
        ),
      ),
    'roster webhooks enable wh_…',
  );

const disable = (run: Run) =>
  withExamples(
    new Command('disable')
      .description('Disable a webhook: nothing is sent to it.')
      .argument('<webhook>', 'ID')
      .action(
        run(async ({ roster, output, signal }, id) =>
          output.item(await roster.webhooks.disable(id, { signal })),
        ),
      ),
    'roster webhooks disable wh_…',
  );

const remove = (run: Run) =>
  withExamples(
    new Command('delete')
      .description('Delete a webhook.')
      .argument('<webhook>', 'ID')
      .action(
        run(async ({ roster, output, signal, confirm }, id) => {
          await confirm(`Delete the webhook ${id}?`);
          await output.done(`Deleted ${id}.`, await roster.webhooks.delete(id, { signal }));
        }),
      ),
    'roster webhooks delete wh_… --yes',
  );

/** A secret is not an argument: other accounts can read those. */
const readToken = (file: string | undefined): string | undefined =>
  file === undefined ? undefined : read(file).trim();

/** Lines such as `Authorization: Bearer …`. Empty ones are skipped. */
function readHeaders(file: string | undefined): Record<string, string> | undefined {
  if (file === undefined) return undefined;
  const lines = read(file).split(/\r?\n/);
  return Object.fromEntries(
    lines.flatMap((line, at) => {
      if (line.trim() === '') return [];
      const colon = line.indexOf(':');
      if (colon < 1) throw new UsageError(`${file}: line ${at + 1} is not Name: value.`);
      return [[line.slice(0, colon).trim(), line.slice(colon + 1).trim()]];
    }),
  );
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new UsageError(`${file} cannot be read (${(error as NodeJS.ErrnoException).code}).`);
  }
}
