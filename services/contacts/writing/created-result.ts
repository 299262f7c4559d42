import { Json, type Answer } from '@roster/bus';
import { Fault } from '@roster/contracts';

const heads = { true: '{"created":true,', false: '{"created":false,' };

/** The result of a create or update with the field `created` in front. A fault is returned unchanged. */
export const withCreated = (answer: Answer<object>, created: boolean): Fault | Json =>
  answer instanceof Fault ? answer : new Json(heads[`${created}`] + Json.textOf(answer).slice(1));

/** Whether a result has the field in front that says that a contact was created. */
export const wasCreated = (answer: object): boolean => Json.textOf(answer).startsWith(heads.true);

/** The ID of the contact of a result, which is its first field of this name. */
export const contactIdOf = (answer: object): string =>
  /"id":"(\w+)"/.exec(Json.textOf(answer))![1]!;
