import { invalidFields } from '@roster/contracts';
import { errorOf } from '../errors.js';
import { withoutNull } from './page-arguments.js';

interface GivenFilter {
  status?: string;
  statusNot?: string;
}

/**
 * A `ContactFilter` as operations take it: a status is an enumeration here, and a condition there.
 *
 * @param pointer of the filter in the input
 * @throws GraphQLError `invalid`
 */
export function contactFilterOf(given: object, pointer: string, requestId: string): object {
  const { statusNot, ...filter } = withoutNull(given) as GivenFilter;
  if (statusNot === undefined) return filter;
  if (filter.status === undefined) return { ...filter, status: `not:${statusNot}` };
  const message = 'must not be sent together with `status`';
  throw errorOf(invalidFields([{ pointer: `${pointer}/statusNot`, message }]), requestId);
}
