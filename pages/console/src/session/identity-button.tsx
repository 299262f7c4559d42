import { useQuery } from '@tanstack/react-query';
import { gatewayUrl } from '../boot.js';
import { session } from './session.js';
import styles from './sign-in.module.css';

/** The host of the identity provider, if one is configured. */
export function useIdentityProvider(): string | null | undefined {
  const { data } = useQuery({
    queryKey: ['identity-provider'],
    queryFn: () => session.identityProvider(),
    retry: false,
    staleTime: Infinity,
  });
  return data;
}

/** Shown if an identity provider is configured. A new tab leaves the screens of this one as they are. */
export function IdentityButton({ inNewTab = false }: { inNewTab?: boolean }) {
  const host = useIdentityProvider();
  if (!host) return null;
  return (
    <a
      className={styles.identity}
      href={`${gatewayUrl}/console/session/oidc/start`}
      {...(inNewTab && { target: '_blank', rel: 'noopener' })}
    >
      Continue with {host}
    </a>
  );
}

const failures: Record<string, string> = {
  expired: 'The sign-in took too long, or was not started in this browser. Try again.',
  cancelled: 'The sign-in was cancelled.',
  refused: 'The identity provider did not confirm the sign-in. Try again.',
  unverified:
    'The identity provider has not verified your email address, or does not tell it. Ask its administrator.',
  unknown:
    'Nobody has allowed your email address to sign in. Ask a member of your workspace to set it for an API key.',
  unavailable: 'The identity provider cannot be used at the moment. Try again later.',
  limited: 'There were too many failed sign-ins from your address. Try again in a minute.',
};

export const explainFailure = (failure: string): string =>
  failures[failure] ?? 'Signing in has failed. Try again.';
