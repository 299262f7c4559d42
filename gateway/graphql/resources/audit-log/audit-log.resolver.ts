import { auditCursor } from '@roster/contracts';
import { Args, Ctx, Query, Resolver } from 'type-graphql';
import type { GraphqlContext } from '../../context.js';
import { connectionOf } from '../node/connection.js';
import { readForwardPage } from '../node/forward-arguments.js';
import { AuditLogArguments, AuditLogConnection } from './audit-entry.js';

@Resolver()
export class AuditLogResolver {
  @Query(() => AuditLogConnection, {
    nullable: true,
    description: 'The audit log of the workspace, newest first.',
  })
  async auditLog(
    @Args(() => AuditLogArguments) { action, actor, since, ...page }: AuditLogArguments,
    @Ctx() { operations, requestId }: GraphqlContext,
  ): Promise<AuditLogConnection> {
    const input = readForwardPage(page, requestId);
    const { entries, pagination } = await operations.read('audit-log.list', {
      ...input,
      ...(action != null && { action }),
      ...(actor != null && { actor }),
      ...(since != null && { since }),
    });
    return connectionOf(entries, ({ id }) => auditCursor.of(id), {
      hasNext: pagination.next !== null,
      hasPrevious: input.after !== undefined,
    });
  }
}
