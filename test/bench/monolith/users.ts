import type { Router } from '@koa/router';
import { encodeId } from '@roster/contracts';
import type { Monolith } from './monolith.js';
import type { Statement } from './database.js';
import type { State } from './state.js';

export function userRoutes(router: Router<State>, { database, keys }: Monolith): void {
  router.get('/users/me', keys.require('user'), async (ctx) => {
    ctx.state.route = 'users.me';
    const { workspaceUuid, userUuid } = ctx.state.caller;
    const [row] = await database.query<UserRow>(see, [workspaceUuid, userUuid]);
    const { id, email, name, created_at, last_accessed_at } = row!;
    ctx.body = {
      user: {
        id: encodeId('user', id),
        email,
        name,
        createdAt: created_at.toISOString(),
        lastAccessedAt: last_accessed_at.toISOString(),
      },
    };
  });
}

interface UserRow {
  id: string;
  email: string;
  name: string;
  created_at: Date;
  last_accessed_at: Date;
}

const see: Statement = {
  name: 'users.see',
  text: `
    update users.users set last_accessed_at = now() where workspace_id = $1 and id = $2
    returning id, email, name, created_at, last_accessed_at`,
};
