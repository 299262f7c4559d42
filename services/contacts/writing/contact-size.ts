import { contactLimits, invalidFields, tagsMax, type Fault } from '@roster/contracts';
import { changeJson, contactJson } from '../reading/contact.js';

const neverChanged = { change_id: '00000000-0000-0000-0000-000000000000', version: 1 };

/** Bytes of `updatedAt`, `version` and `externalId`, which do not count as part of the size of a contact. */
export const changeBytes = changeJson(neverChanged).length;

/** Bytes of a contact as JSON, with its ID and its time of creation, but without the values of its other fields. */
const frameBytes =
  contactJson({
    ...neverChanged,
    id: '00000000-0000-0000-0000-000000000000',
    email: '',
    name: '',
    tags: '',
    properties: '',
    status: '',
    external_id: null,
  }).length -
  changeBytes -
  2 * JSON.stringify('').length;

/**
 * An SQL expression for an array: the number of properties of a contact, its bytes as JSON, and the bytes of its tags and properties
 * alone. The JSON of the database has a space after each colon and comma, which is not counted.
 *
 * @param row relation with columns of contacts
 */
export const sizeOf = (row: string): string => `(
  select array[
    count, ${frameBytes} + variable + octet_length(to_json(${row}.email)::text)
      + octet_length(to_json(${row}.name)::text) + octet_length(${row}.status), variable
  ]::int[]
  from (
    select count(*) as count, octet_length(${row}.properties::text) - greatest(2 * count(*) - 1, 0)
      + octet_length(${row}.tags::text) - greatest(jsonb_array_length(${row}.tags) - 1, 0) as variable
    from jsonb_object_keys(${row}.properties)
  ) c)`;

/**
 * Why a contact is refused that exceeds a limit.
 *
 * @param contact its tags and properties as JSON
 * @param addTags of the update, if it has them
 */
export function sizeRefusal(
  { tags, properties }: { tags: string; properties: string },
  count: number,
  bytes: number,
  addTags?: readonly string[],
): Fault {
  const wrong = [];
  const tagsPointer = addTags ? '/addTags' : '/tags';
  if (count > contactLimits.properties)
    wrong.push({
      pointer: '/properties',
      message: `must be at most ${contactLimits.properties} after the change, not ${count}`,
    });
  if (bytes > contactLimits.bytes)
    wrong.push({
      pointer: tags.length > properties.length ? tagsPointer : '/properties',
      message: `must be shorter: the contact would have ${bytes} bytes of JSON, more than ${contactLimits.bytes}`,
    });
  return invalidFields(wrong);
}

/** Why a contact is refused that would have this number of tags. */
export const tagsRefusal = (count: number): Fault =>
  invalidFields([
    {
      pointer: '/addTags',
      message: `must be fewer: the contact would have ${count} tags, more than ${tagsMax}`,
    },
  ]);
