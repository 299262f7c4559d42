import type { Handler } from '@roster/bus';
import type { Operations } from '@roster/contracts';
import { keyStates } from '../keys/key-states.js';
import { quotaField } from '../keys/request-quota.js';
import type { UsersService } from '../service.js';

/** Whether keys are still valid. Gateways call this for the keys of browser tokens, whose signatures they verify themselves. */
export const checkKey =
  ({ database }: UsersService): Handler<Operations['keys.check']> =>
  async (calls) => {
    const { states, databaseMs } = await keyStates(
      database,
      calls.map(({ input }) => input),
    );
    const now = new Date(databaseMs).toISOString();
    return states.map((state) => ({
      valid: state?.isValid === true && !state.isSuspended,
      now,
      ...(state?.isValid &&
        (state.isSuspended
          ? { isSuspended: true }
          : { origins: state.origins, ...quotaField(state.quota) })),
    }));
  };
