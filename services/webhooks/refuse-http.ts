import { invalidFields } from '@roster/contracts';

/** @throws Fault `invalid` if events would be sent unencrypted and the configuration does not allow that */
export function refuseHttp(url: string, { allowHttp }: { allowHttp: boolean }): void {
  if (allowHttp || new URL(url).protocol === 'https:') return;
  throw invalidFields([{ pointer: '/url', message: 'must be an https URL' }]);
}
