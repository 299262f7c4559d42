import { CallerSigner, type NamedKey } from '@roster/bus';
import { mismatchOf, NotYet, printPublicKey } from '@roster/process';

interface CallerKeys {
  CALLER_SIGNING_KEY?: NamedKey | undefined;
  CALLER_PUBLIC_KEYS?: readonly NamedKey[] | undefined;
}

/**
 * The signer, if there is a key. It would sign nothing that other processes accept if its key is not in the list of all processes,
 * which this one has, too.
 *
 * @throws NotYet that names the variable to correct
 */
export function openSigner({
  CALLER_SIGNING_KEY: key,
  CALLER_PUBLIC_KEYS: listed,
}: CallerKeys): CallerSigner | undefined {
  const signer = key && new CallerSigner(key);
  const found = listed && mismatchOf(signer ? printPublicKey(signer.publicKey) : null, listed);
  if (found) throw new NotYet(reasons[found.kind](found.id), { passing: false });
  return signer;
}

const reasons = {
  unsigned: () =>
    'CALLER_SIGNING_KEY is missing, and CALLER_PUBLIC_KEYS is set: set it to the private key of one of them, and restart.',
  unlisted: (id: string) =>
    `CALLER_PUBLIC_KEYS lacks ${id}, the public key of CALLER_SIGNING_KEY: append it to that of every process, and restart.`,
  foreign: (id: string) =>
    `CALLER_SIGNING_KEY is not the private key of ${id} in CALLER_PUBLIC_KEYS: correct it, and restart. A new key needs a new id.`,
};
