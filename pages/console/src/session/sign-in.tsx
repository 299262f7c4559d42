import { useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import { takeSignInFailure, takeSignInLinks } from '../boot.js';
import { Button } from '../parts/button.js';
import { IdentityButton, explainFailure } from './identity-button.js';
import { KeyForm } from './key-form.js';
import { Mark } from '../parts/mark.js';
import { Notice } from '../parts/notice.js';
import { session } from './session.js';
import styles from './sign-in.module.css';

/**
 * A link is redeemed by a click that names the workspace; a pasted key is exchanged for a session and forgotten. Who signed in with
 * the identity provider has a link for each workspace.
 */
export function SignIn({ why }: { why?: string | undefined }) {
  const [links, setLinks] = useState(takeSignInLinks);
  const [failure] = useState(takeSignInFailure);
  return (
    <main className={styles.page}>
      <div className={styles.card}>
        <Mark />
        <h1>Sign in to Roster</h1>
        {why && <Notice kind="warn">{why}</Notice>}
        {failure && <Notice kind="bad">{explainFailure(failure)}</Notice>}
        {links.map((link) => (
          <LinkForm
            key={link}
            link={link}
            onRefused={() => setLinks(links.filter((one) => one !== link))}
          />
        ))}
        {links.length === 0 && (
          <>
            <IdentityButton />
            <KeyForm />
          </>
        )}
      </div>
    </main>
  );
}

function LinkForm({ link, onRefused }: { link: string; onRefused: () => void }) {
  const { data, error, isPending } = useQuery({
    queryKey: ['link', link],
    queryFn: () => session.describeLink(link),
    retry: false,
    staleTime: Infinity,
  });
  const [failure, setFailure] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const signIn = async () => {
    setBusy(true);
    await session.signIn({ link }).catch((one: Error) => setFailure(one.message));
    setBusy(false);
  };
  const problem = failure ?? error?.message;
  if (isPending) return <p role="status">Reading the link…</p>;
  if (problem || !data)
    return (
      <>
        <Notice kind="bad">{problem}</Notice>
        <p className={styles.quiet}>
          Links work once, within five minutes. <code>npm run roster -- console link</code> makes
          another one.
        </p>
        <Button onClick={onRefused}>Sign in without it</Button>
      </>
    );
  return (
    <>
      <p>
        The link opens the workspace <strong>{data.workspace.name}</strong> as{' '}
        <strong>{data.user.name}</strong>.
      </p>
      <Button kind="primary" onClick={() => void signIn()} busy={isBusy} autoFocus>
        Open {data.workspace.name}
      </Button>
    </>
  );
}
