import { eventKinds, kindName } from '../../data/kinds.js';
import type { EventKind } from '../../data/live.graphql.js';
import { Field } from '../../parts/field.js';
import styles from './webhook-fields.module.css';
import { FilterFields } from './webhook-filter-fields.js';
import { filterPlaces } from './webhook-filter.js';
import type { WebhookPayloadFormat } from './webhooks.graphql.js';

export interface WebhookInput {
  url: string;
  description: string;
  events: EventKind[];
  payload: WebhookPayloadFormat;
  /** A line for each header that is set or, without a value, removed. */
  headers: string;
  /** Empty for no maximum. */
  ratePerSecond: string;
  /** As JSON; empty for none. */
  filter: string;
  traceContext: boolean;
}

/** The fields of the form, whose errors are shown beside them. */
export const webhookFields = ({ filter }: WebhookInput): string[] => [
  'url',
  'description',
  'events',
  'payload',
  'headers',
  'ratePerSecond',
  'traceContext',
  ...filterPlaces(filter),
];

interface WebhookFieldsProps {
  value: WebhookInput;
  onChange: (value: WebhookInput) => void;
  errorOf: (field: string) => string | undefined;
  /** Headers that it has. Their values are not known here. */
  headerNames?: readonly string[];
}

/** URL, description, kinds and payload of a webhook. */
export function WebhookFields({ value, onChange, errorOf, headerNames = [] }: WebhookFieldsProps) {
  const areAll = value.events.includes('ALL');
  const includes = (kind: EventKind) => areAll || value.events.includes(kind);
  const toggle = (kind: EventKind) =>
    onChange({
      ...value,
      events: eventKinds.filter((one) => includes(one) !== (one === kind)),
    });
  const kindsError = errorOf('events');
  return (
    <>
      <Field label="URL" error={errorOf('url')} hint="The address that requests are sent to.">
        <input
          type="url"
          value={value.url}
          placeholder="https://example.com/hooks/roster"
          maxLength={2048}
          required
          autoFocus
          autoComplete="off"
          spellCheck={false}
          onChange={({ target }) => onChange({ ...value, url: target.value })}
        />
      </Field>
      <Field
        label="Description"
        error={errorOf('description')}
        hint="What it is for, so that others recognize it."
      >
        <input
          value={value.description}
          maxLength={256}
          autoComplete="off"
          onChange={({ target }) => onChange({ ...value, description: target.value })}
        />
      </Field>
      <fieldset className={styles.kinds} aria-invalid={kindsError !== undefined || undefined}>
        <legend>Events</legend>
        <label className={styles.check}>
          <input
            type="checkbox"
            checked={areAll}
            ref={(box) => {
              if (box) box.indeterminate = !areAll && value.events.length > 0;
            }}
            onChange={() => onChange({ ...value, events: areAll ? [] : ['ALL'] })}
          />
          All, also those that are added later
        </label>
        {eventKinds.map((kind) => (
          <label key={kind} className={styles.check}>
            <input type="checkbox" checked={includes(kind)} onChange={() => toggle(kind)} />
            {kindName(kind)}
          </label>
        ))}
        {kindsError && (
          <p className={styles.error} role="alert">
            {kindsError}
          </p>
        )}
      </fieldset>
      <Field
        label="Payload"
        error={errorOf('payload')}
        hint={
          value.payload === 'FULL'
            ? 'Also tags, properties and status of a contact, what changed, and the former values.'
            : 'ID, address, name and creation time of a contact.'
        }
      >
        <select
          value={value.payload}
          onChange={({ target }) =>
            onChange({ ...value, payload: target.value as WebhookPayloadFormat })
          }
        >
          <option value="COMPACT">Compact</option>
          <option value="FULL">Full</option>
        </select>
      </Field>
      <FilterFields
        value={value.filter}
        onChange={(filter) => onChange({ ...value, filter })}
        errorOf={errorOf}
      />
      <Field
        label="Requests per second"
        error={errorOf('ratePerSecond')}
        hint="At most this many; others wait. Empty for no maximum."
      >
        <input
          type="number"
          min={1}
          max={1000}
          value={value.ratePerSecond}
          onChange={({ target }) => onChange({ ...value, ratePerSecond: target.value })}
        />
      </Field>
      <fieldset className={styles.kinds}>
        <legend>Traces</legend>
        <label className={styles.check}>
          <input
            type="checkbox"
            checked={value.traceContext}
            onChange={() => onChange({ ...value, traceContext: !value.traceContext })}
          />
          Send the trace of the request that caused an event
        </label>
      </fieldset>
      <Field
        label="Headers"
        error={errorOf('headers')}
        hint={
          headerNames.length === 0
            ? 'Further headers of the requests, one in each line. Values are stored encrypted and not shown again.'
            : `Has ${headerNames.join(', ')}, which stay. “Name: value” sets a header, “Name:” removes it.`
        }
      >
        <textarea
          rows={2}
          value={value.headers}
          placeholder="Authorization: Bearer …"
          autoComplete="off"
          spellCheck={false}
          onChange={({ target }) => onChange({ ...value, headers: target.value })}
        />
      </Field>
    </>
  );
}

/** The headers of lines such as `Authorization: Bearer …`; null for those without a value. Undefined without any. */
export function headersOf(lines: string): Record<string, string | null> | undefined {
  const entries = lines
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const [name = '', ...rest] = line.split(':');
      return [name.trim(), rest.join(':').trim() || null] as const;
    });
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}

export const rateOf = (text: string): number | null => (text === '' ? null : Number(text));
