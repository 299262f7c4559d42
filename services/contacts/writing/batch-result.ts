import { Json, type Answer } from '@roster/bus';
import { noticesOf } from './notices.js';
import {
  contactBatchFaults,
  Fault,
  faultTitles,
  httpStatus,
  invalidFields,
  referenceOf,
  type ContactOperation,
  type FaultCode,
} from '@roster/contracts';

const refusals: ReadonlySet<FaultCode> = new Set(contactBatchFaults);

export const isRefusal = ({ code }: Fault): boolean => refusals.has(code);

/** The result of an operation, which does not contain the contact: a batch can update a thousand of the largest. */
export function resultOf(
  answer: Answer<object>,
  operation: ContactOperation | Fault,
  index: number,
) {
  if (answer instanceof Fault) return refusalOf(answer, index);
  const { id } = operation as { id?: string };
  const isId = id !== undefined && referenceOf(id) === undefined;
  const notices = noticesOf(answer);
  return {
    status: wasCreated(answer) ? 201 : 200,
    id: isId ? id : contactIdOf(answer),
    ...(notices && { notices }),
  };
}

/** Maximum number of invalid fields that the problem of an operation lists: a batch can have a thousand of them. */
const errorsMax = 3;

/** A problem document (RFC 9457) of an operation, with pointers into the body of the batch. */
function refusalOf(fault: Fault, index: number) {
  const { code, message, details } = withPointers(fault, index, errorsMax);
  const status = httpStatus[code];
  return {
    status,
    problem: {
      type: `/problems/${code}`,
      title: faultTitles[code],
      status,
      detail: message,
      code,
      ...details,
    },
  };
}

/** The fault of an atomic batch that a refused operation causes. */
export function batchFault(fault: Fault, index: number): Fault {
  const { code, message } = fault;
  // No resource is named by the path, so the request as a whole is not answered `not_found`.
  if (code === 'not_found')
    return invalidFields([
      { pointer: `/operations/${index}/id`, message: 'is not the ID of a contact' },
    ]);
  const moved = withPointers(fault, index);
  return code === 'invalid'
    ? moved
    : new Fault(code, `operations[${index}]: ${message}`, moved.details);
}

function withPointers(fault: Fault, index: number, listedMax?: number): Fault {
  const { code, message, details } = fault;
  if (!details.errors) return fault;
  const errors = details.errors.map(({ pointer, ...error }) => ({
    pointer: `/operations/${index}${pointer}`,
    ...error,
  }));
  return code === 'invalid'
    ? invalidFields(errors, listedMax)
    : new Fault(code, message, { ...details, errors });
}

const heads = { true: '{"created":true,', false: '{"created":false,' };

/** The result of a create or update with the field `created` in front. A fault is returned unchanged. */
export const withCreated = (answer: Answer<object>, created: boolean): Fault | Json =>
  answer instanceof Fault ? answer : new Json(heads[`${created}`] + Json.textOf(answer).slice(1));

/** Whether a result has the field in front that says that a contact was created. */
export const wasCreated = (answer: object): boolean => Json.textOf(answer).startsWith(heads.true);

/** The ID of the contact of a result, which is its first field of this name. */
export const contactIdOf = (answer: object): string =>
  /"id":"(\w+)"/.exec(Json.textOf(answer))![1]!;
