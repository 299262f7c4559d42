import { getContact } from './get.js';
import type { Job } from './job.js';
import { listContacts } from './list.js';
import { createContact, updateContact } from './write.js';

export const mixed: Job = {
  title: '70 % get, 15 % list, 10 % update, 5 % create, with a webhook for what is created',
  byDefault: true,
  writes: true,
  webhook: true,
  requests(input) {
    const { dataSet, random } = input;
    const { mixed: group } = dataSet;
    const read = getContact(group, () => Math.floor(random() * group.contacts));
    const list = listContacts(group, () => 'limit=50');
    const update = updateContact(group, input);
    const create = createContact(group, input);
    return () => {
      const share = random();
      if (share < 0.7) return read();
      if (share < 0.85) return list();
      return share < 0.95 ? update() : create();
    };
  },
};
