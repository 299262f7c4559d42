import type { Operations } from '@roster/contracts';
import { inRounds, type SessionHandler } from '@roster/storage';
import type { ContactsService } from '../../service.js';
import { byReference } from '../../writing/by-reference.js';
import { changeSubscriptions } from '../../writing/change-subscriptions.js';

type ChangeSubscription = Operations['contacts.unsubscribe'] | Operations['contacts.resubscribe'];

export const unsubscribeContact = (service: ContactsService) =>
  changeSubscription(service, 'unsubscribed');

export const resubscribeContact = (service: ContactsService) =>
  changeSubscription(service, 'subscribed');

const changeSubscription = (
  service: ContactsService,
  status: 'subscribed' | 'unsubscribed',
): SessionHandler<ChangeSubscription> =>
  byReference(
    service,
    inRounds<ChangeSubscription>({ rowOf: ({ input }) => input.contactId }, (calls, session) =>
      changeSubscriptions(service, calls, session, status),
    ),
  );
