import type { Operations, OutputOf } from '@roster/contracts';
import { Field, ObjectType } from 'type-graphql';
import { Node } from '../node/node.js';
import { DateTime, EmailAddress } from '../../scalars.js';

@ObjectType({ implements: Node, description: 'A member of the workspace.' })
export class User extends Node implements UserShape {
  @Field(() => EmailAddress, { description: 'Unique within the workspace, ignoring case.' })
  email!: string;

  @Field(() => String)
  name!: string;

  @Field(() => DateTime)
  createdAt!: string;

  @Field(() => DateTime, {
    description:
      'Updated immediately by `me`, and within a minute by any other use of the API keys of the user.',
  })
  lastAccessedAt!: string;
}

type UserShape = OutputOf<Operations['users.me']>['user'];
