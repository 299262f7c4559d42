import { invalidFields } from '@roster/contracts';

/** @throws Fault `invalid` when events would travel unencrypted and that is not allowed here */
export function refuseHttp(url: string, { allowHttp }: { allowHttp: boolean }): void {
  if (allowHttp || new URL(url).protocol === 'https:') return;
  throw invalidFields([{ pointer: '/url', message: 'must be an https URL' }]);
}
