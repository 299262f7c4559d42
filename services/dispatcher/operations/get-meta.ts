import { Json, type Handler } from '@roster/bus';
import { interfaceLimits, releaseVersion, type Operations, type OutputOf } from '@roster/contracts';
import type { DispatcherService } from '../service.js';

type GetMeta = Operations['meta.get'];

/** What is the same for every caller of this installation. */
export function getMeta({
  retainedSeconds,
  deliveryRetentionDays,
  sourceAddresses,
}: Pick<
  DispatcherService,
  'retainedSeconds' | 'deliveryRetentionDays' | 'sourceAddresses'
>): Handler<GetMeta> {
  const meta: OutputOf<GetMeta>['meta'] = {
    version: releaseVersion,
    limits: interfaceLimits,
    eventRetentionSeconds: retainedSeconds,
    deliveryRetentionDays,
    deliveryAddresses: sourceAddresses.length > 0 ? [...sourceAddresses] : null,
  };
  const json = new Json(JSON.stringify({ meta }));
  return async (calls) => calls.map(() => json);
}
