import type { Call } from '@roster/bus';
import {
  encodeId,
  Fault,
  isOfType,
  propertyTypeLimits,
  propertyTypeWords,
  readAsType,
  uuidOf,
  type ContactPropertyType,
  type PropertyTypeChange,
  type PropertyValue,
} from '@roster/contracts';
import type { Session, Statement } from '@roster/storage';
import { changeKey } from '../../reading/conditions.js';
import { beginning } from '../../reading/page.js';
import type { ContactsService } from '../../service.js';
import { sliceMax } from '../batch-writers.js';
import { updateContacts } from '../update-contacts.js';
import { workspaceLocked } from '../watermark.js';

/** The values of a property, as those of a type. */
export interface Survey {
  change: Omit<PropertyTypeChange, 'refusal'>;
  /** The contacts whose values are to be converted, as far as the limit. */
  toConvert: string[];
  /** Whatever changed later has a greater ID of its change. */
  since: string;
}

interface Wanted {
  workspaceId: string;
  name: string;
  type: ContactPropertyType;
}

export type SurveyLimits = Record<keyof typeof propertyTypeLimits, number>;

/**
 * Reads the values of a property of all contacts, before the turn of the workspace is taken: each statement reads a part of them, so
 * that none takes long.
 *
 * @throws Fault `unavailable` if it takes too long
 */
export async function surveyValues(
  session: Session,
  { workspaceId, name, type }: Wanted,
  limits: SurveyLimits,
): Promise<Survey> {
  const [mark] = await session.query<{ last_id: string }>(selectMark, [workspaceId]);
  const change = { values: 0, converted: 0, contradicting: 0, contacts: [] as string[] };
  const toConvert: string[] = [];
  const until = performance.now() + limits.ms;
  let last: string | null = beginning;
  while (last !== null) {
    if (performance.now() >= until) throw tooSlow(limits.ms);
    const [part]: Part[] = await session.query<Part>(selectPart, [
      ...[workspaceId, name, last, limits.rows],
    ]);
    for (const { id, value } of unpacked(part!.packed)) {
      change.values += 1;
      const converted = convertedTo(type, value);
      if (converted === undefined) {
        change.contradicting += 1;
        if (change.contacts.length < limits.contacts) change.contacts.push(encodeId('contact', id));
      } else if (converted !== value) {
        change.converted += 1;
        if (toConvert.length <= limits.converted) toConvert.push(id);
      }
    }
    last = part!.last_id;
  }
  return { change, toConvert, since: mark?.last_id ?? beginning };
}

/** The fault `conflict` or `limit_reached` if the values cannot be those of the type. */
export function refusalOf(
  { change }: Survey,
  type: ContactPropertyType,
  limits: SurveyLimits,
): Fault | undefined {
  const { contradicting, values, contacts, converted } = change;
  if (contradicting > 0)
    return contradicts(
      `${contradicting} of ${values} values are not each ${propertyTypeWords[type]}, such as those of ${contacts.join(', ')}.`,
    );
  if (converted <= limits.converted) return undefined;
  return new Fault(
    'limit_reached',
    `At most ${limits.converted} values can be converted at once, not ${converted}. Create another property of the type ${type} instead, and fill it with an import.`,
  );
}

const contradicts = (message: string): Fault =>
  new Fault('conflict', `The type cannot be changed: ${message}`);

const tooSlow = (ms: number): Fault =>
  new Fault(
    'unavailable',
    `The values of the property cannot be read in ${ms / 1000} seconds: the workspace has too many contacts.`,
  );

/**
 * Converts the values of a property to its type, in the transaction that has the turn of the workspace and has changed the type. Each
 * contact whose value changes its form is changed as by an update, with its event, so that readers of changes have the same values as
 * lists.
 *
 * @param call in whose name it is done
 * @throws Fault `conflict` if a value was written since the survey that is not of the type
 */
export async function convertValues(
  service: ContactsService,
  call: Call,
  { workspaceId, name, type }: Wanted,
  { toConvert, since }: Survey,
  limits: SurveyLimits,
  inner: Session,
): Promise<void> {
  const rows = await inner.query<{ id: string; value: string }>(selectLocked, [
    ...[workspaceId, name, toConvert, since, limits.converted + limits.rows],
  ]);
  if (rows.length === limits.converted + limits.rows) throw workspaceLocked;
  const updates = rows.flatMap(({ id, value: text }) => {
    const value = JSON.parse(text) as PropertyValue;
    const contactId = encodeId('contact', id);
    const converted = convertedTo(type, value);
    if (converted === undefined)
      throw contradicts(`the value of ${contactId} is not ${propertyTypeWords[type]}.`);
    return converted === value ? [] : [{ contactId, properties: { [name]: converted } }];
  });
  for (let at = 0; at < updates.length; at += sliceMax) {
    const part = updates.slice(at, at + sliceMax).map((input) => ({ ...call, input }));
    const answers = await updateContacts(service, part, inner);
    for (const [n, answer] of answers.entries())
      if (answer instanceof Fault)
        throw contradicts(`${part[n]!.input.contactId} cannot be changed: ${answer.message}`);
  }
}

/** As an import reads a text. Undefined if the value is not of the type, and does not mean one. */
const convertedTo = (type: ContactPropertyType, value: PropertyValue): PropertyValue | undefined =>
  isOfType(type, value) ? value : readAsType(type, String(value));

interface Part {
  /** Null if there are no values. */
  packed: string | null;
  /** The last contact that was read; null if no others follow. */
  last_id: string | null;
}

/** JSON contains no control characters. */
const unpacked = (packed: string | null): { id: string; value: PropertyValue }[] =>
  (packed?.split('\x1e') ?? []).map((text) => ({
    id: text.slice(0, 36),
    value: JSON.parse(text.slice(36)) as PropertyValue,
  }));

const selectMark: Statement = {
  name: 'contact-properties.mark',
  text: 'select last_id from contacts.watermarks where workspace_id = $1',
};

const selectPart: Statement = {
  name: 'contact-properties.survey',
  text: `
    with part as materialized (
      select id, properties -> $2::text as value from contacts.contacts
      where workspace_id = $1::uuid and id > $3::uuid order by id limit $4::int
    )
    select (select string_agg(id || value::text, E'\\x1e') from part where value is not null) as packed,
      (select id from part order by id limit 1 offset $4::int - 1) as last_id`,
};

/** Those that are to be converted, and those that changed since. */
const selectLocked: Statement = {
  name: 'contact-properties.convert',
  text: `
    select id, value::text from (
      select id, properties -> $2::text as value from contacts.contacts
      where workspace_id = $1::uuid and id = any ($3::uuid[])
      union
      select id, properties -> $2::text from contacts.contacts
      where workspace_id = $1::uuid and ${changeKey} > $4::uuid
    ) c where value is not null order by id limit $5::int`,
};

export const wantedOf = ({ caller }: Call, name: string, type: ContactPropertyType): Wanted => ({
  workspaceId: uuidOf('workspace', caller.workspaceId),
  name,
  type,
});
