import type { Handler } from '@roster/bus';
import { uuidOf, type Operations } from '@roster/contracts';
import { ContactProperty } from './entities/contact-property.entity.js';
import { contactPropertyShape } from './create-contact-property.js';
import type { ContactsService } from './service.js';

/** One query for the batch: the definitions of all its workspaces, in the order of their creation. */
export const listContactProperties =
  ({ database }: ContactsService): Handler<Operations['contact-properties.list']> =>
  async (calls) => {
    const asked = calls.map(({ caller }) => uuidOf('workspace', caller.workspaceId));
    const found = await database.em.find(
      ContactProperty,
      { workspaceId: { $in: [...new Set(asked)] } },
      { orderBy: { id: 'asc' } },
    );
    const byWorkspace = Map.groupBy(found, ({ workspaceId }) => workspaceId);
    return asked.map((workspaceId) => ({
      properties: (byWorkspace.get(workspaceId) ?? []).map((property) => {
        const { description: _, ...listed } = contactPropertyShape(property);
        return listed;
      }),
    }));
  };
