import { Json, type Answer } from '@roster/bus';
import { Fault } from '@roster/contracts';

const heads = { true: '{"created":true,', false: '{"created":false,' };

/** The result of a create or update with the field `created` in front. A fault is returned unchanged. */
export const withCreated = (answer: Answer<object>, created: boolean): Fault | Json =>
  answer instanceof Fault ? answer : new Json(heads[`${created}`] + Json.textOf(answer).slice(1));

/** The rest of a result without the field in front that says that a contact was created; undefined if it has none. */
export const restOfCreated = (text: string): string | undefined =>
  text.startsWith(heads.true) ? text.slice(heads.true.length) : undefined;

/** Whether a result has the field in front that says that a contact was created. */
export const wasCreated = (answer: object): boolean =>
  restOfCreated(Json.textOf(answer)) !== undefined;
