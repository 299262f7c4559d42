import type { Operations } from '@roster/contracts';
import { each, type SessionHandler } from '@roster/storage';
import { insertAction } from '../../actions/insert-action.js';
import type { ContactsService } from '../../service.js';

type CreateAction = Operations['contact-actions.create'];

export const createAction = (service: ContactsService): SessionHandler<CreateAction> =>
  each<CreateAction>((call, session) =>
    session.transaction(async (inner) => ({
      action: await insertAction(service, call, call.input, inner),
    })),
  );
