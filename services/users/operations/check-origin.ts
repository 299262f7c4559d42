import type { Handler } from '@roster/bus';
import type { Operations } from '@roster/contracts';
import type { Statement } from '@roster/storage';
import type { UsersService } from '../service.js';

/** Whether any workspace lists an origin. Gateways call this for preflights, which have no key. */
export const checkOrigin =
  ({ database }: UsersService): Handler<Operations['origins.check']> =>
  async (calls) => {
    const origins = calls.map(({ input }) => input.origin);
    const rows = await database.query<{ origin: string }>(listed, [[...new Set(origins)]]);
    const found = new Set(rows.map(({ origin }) => origin));
    return origins.map((origin) => ({ isListed: found.has(origin) }));
  };

/** Without a workspace, because a preflight has none. A look-up in origins_origin for each origin. */
const listed: Statement = {
  name: 'origins.check',
  text: `
    select a.origin from unnest($1::text[]) as a (origin)
    where exists (select from users.origins o where o.origin = a.origin)`,
};
