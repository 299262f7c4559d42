import { invalidFields } from '@roster/contracts';
import type { TargetPolicy } from '@roster/process/targets';

/** @throws Fault `invalid` if no delivery to the URL can succeed, as far as the URL itself shows it */
export function refuseTarget(url: string, { targets }: { targets: TargetPolicy }): void {
  const message = messageOf(new URL(url), targets);
  if (message !== undefined) throw invalidFields([{ pointer: '/url', message }]);
}

function messageOf(url: URL, targets: TargetPolicy): string | undefined {
  if (targets.refuseScheme(url) !== undefined) return 'must be an https URL';
  const port = targets.refusePort(url);
  if (port !== undefined) return `must have the port 80, 443 or one from 1024; ${port}`;
  const address = targets.refuseKnownAddress(url);
  return address && `must have a public address; ${address}`;
}
