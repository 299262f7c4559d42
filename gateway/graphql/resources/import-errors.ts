import { invalidFields, operations, type Operations, type OutputOf } from '@roster/contracts';
import { Args, Ctx, FieldResolver, ObjectType, Resolver, Root } from 'type-graphql';
import { connectionOf, ConnectionOf, type Connection } from '../contract/connection.js';
import { FieldsOf } from '../contract/fields-of.js';
import { ForwardArguments, readForwardPage } from '../contract/page-arguments.js';
import type { GraphqlContext } from '../context.js';
import { Cost } from '../document/field-cost.js';
import { errorOf } from '../errors.js';
import { Import } from './workspace.js';

const errorContract = operations['imports.list-errors'].output.shape.errors.element;
type ErrorShape = OutputOf<Operations['imports.list-errors']>['errors'][number];

@ObjectType({ description: 'Why a row of an import was refused. A row may have several errors.' })
@FieldsOf(errorContract, {
  text: 'The row as it is in the file, with the first of its errors. Null if it is too long.',
})
class ImportError {}

@ConnectionOf(() => ImportError, {
  edge: 'ImportErrorEdge',
  of: 'an import error',
  description: 'Errors of an import, in the order of its rows.',
})
class ImportErrorConnection {}

/** The last row that was read, and how many of its errors if there are more. */
const cursorFormat = /^(?<row>[1-9]\d{0,9})(?:\.(?<count>[1-9]\d{0,3}))?$/;

/** As the database stores it. */
const rowMax = 2 ** 31 - 1;

@Resolver(() => Import)
export class ImportErrorsResolver {
  // Nullable, so that the progress is available even if the errors are too large.
  @Cost({ calls: 'field' })
  @FieldResolver(() => ImportErrorConnection, {
    nullable: true,
    description: 'Why rows were refused, in their order: the first 10,000 errors.',
  })
  async errors(
    @Root() { id }: { id: string },
    @Args(() => ForwardArguments) page: ForwardArguments,
    @Ctx() { operations: calls, requestId }: GraphqlContext,
  ): Promise<Connection<ErrorShape & { id: string }> | null> {
    const { limit, after } = readForwardPage(page, requestId);
    const { row, count } = positionOf(after, requestId);
    // A result has all errors of its rows.
    const result = await calls.find('imports.list-errors', {
      importId: id,
      after: count === 0 ? row : row - 1,
    });
    if (!result) return null;
    const rest = withCursors(result.errors).slice(count);
    const shown = rest.slice(0, limit);
    const hasNext = rest.length > shown.length || result.next !== null;
    return connectionOf(shown, { hasNext, hasPrevious: after !== undefined });
  }
}

/** @throws GraphQLError `invalid` if it is not a cursor */
function positionOf(cursor: string | undefined, requestId: string) {
  if (cursor === undefined) return { row: 0, count: 0 };
  const { row, count = '0' } = cursorFormat.exec(cursor)?.groups ?? {};
  if (row === undefined || Number(row) > rowMax)
    throw errorOf(invalidFields([{ pointer: '/after', message: 'must be a cursor' }]), requestId);
  return { row: Number(row), count: Number(count) };
}

/** The cursor takes the place of an ID, which errors do not have. */
function withCursors(errors: readonly ErrorShape[]): (ErrorShape & { id: string })[] {
  let count = 0;
  return errors.map((error, at) => {
    count += 1;
    const isLast = errors[at + 1]?.row !== error.row;
    const id = isLast ? `${error.row}` : `${error.row}.${count}`;
    if (isLast) count = 0;
    return { ...error, id };
  });
}
