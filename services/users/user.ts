import { encodeId, type Operations, type OutputOf } from '@roster/contracts';

interface Stored {
  id: string;
  email: string;
  name: string;
  createdAt: Date;
  lastAccessedAt: Date;
}

/** A user in the format of the contract. */
export const userShape = ({
  id,
  email,
  name,
  createdAt,
  lastAccessedAt,
}: Stored): OutputOf<Operations['users.me']>['user'] => ({
  id: encodeId('user', id),
  email,
  name,
  createdAt: createdAt.toISOString(),
  lastAccessedAt: lastAccessedAt.toISOString(),
});
