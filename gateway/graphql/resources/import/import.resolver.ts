import { importCursor } from '@roster/contracts';
import type { GraphQLResolveInfo } from 'graphql';
import {
  Arg,
  Args,
  Ctx,
  Field,
  ID,
  Info,
  InputType,
  Mutation,
  ObjectType,
  Query,
  Resolver,
} from 'type-graphql';
import type { GraphqlContext } from '../../context.js';
import { connectionOf } from '../node/connection.js';
import { ForwardArguments, readForwardPage } from '../node/forward-arguments.js';
import { ImportConnection } from './import-connection.js';
import { findImport, Import, type ImportShape } from './import.js';

@InputType()
class CancelImportInput {
  @Field(() => ID)
  id!: string;
}

@ObjectType()
class CancelImportPayload {
  @Field(() => Import)
  import!: ImportShape;
}

@Resolver(() => Import)
export class ImportResolver {
  @Query(() => Import, {
    nullable: true,
    description: 'An import by ID; null when it does not exist.',
  })
  import(
    @Arg('id', () => ID) id: string,
    @Ctx() { operations }: GraphqlContext,
  ): Promise<ImportShape | null> {
    return findImport(operations, id);
  }

  @Query(() => ImportConnection, {
    nullable: true,
    description: 'The imports of the workspace, newest first.',
  })
  async imports(
    @Args(() => ForwardArguments) page: ForwardArguments,
    @Ctx() { operations, requestId }: GraphqlContext,
  ): Promise<ImportConnection> {
    const input = readForwardPage(page, requestId);
    const { imports, pagination } = await operations.read('imports.list', input);
    return connectionOf(imports, ({ id }) => importCursor.of(id), {
      hasNext: pagination.next !== null,
      hasPrevious: input.after !== undefined,
    });
  }

  @Mutation(() => CancelImportPayload, {
    description: 'Cancels an import. Rows already handled are kept.',
  })
  cancelImport(
    @Arg('input', () => CancelImportInput) { id }: CancelImportInput,
    @Ctx() { operations }: GraphqlContext,
    @Info() info: GraphQLResolveInfo,
  ): Promise<CancelImportPayload> {
    return operations.write('imports.cancel', { importId: id }, info);
  }
}
