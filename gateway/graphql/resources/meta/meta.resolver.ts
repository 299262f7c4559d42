import { Ctx, Query, Resolver } from 'type-graphql';
import type { GraphqlContext } from '../../context.js';
import { Meta } from './meta.js';

@Resolver()
export class MetaResolver {
  @Query(() => Meta, {
    nullable: true,
    description: 'The version and the limits of this installation. Requires no scope.',
  })
  async meta(@Ctx() { operations }: GraphqlContext): Promise<Meta> {
    return (await operations.readOnce('meta.get')).meta;
  }
}
