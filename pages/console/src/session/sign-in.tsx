import { useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import { takeSignInLink } from '../boot.js';
import { Button } from '../parts/button.js';
import { KeyForm } from './key-form.js';
import { Mark } from '../parts/mark.js';
import { Notice } from '../parts/notice.js';
import { session } from './session.js';
import styles from './sign-in.module.css';

/** A link is redeemed by a click that names the workspace; a pasted key is exchanged for a session and forgotten. */
export function SignIn({ why }: { why?: string | undefined }) {
  const [link, setLink] = useState(takeSignInLink);
  return (
    <main className={styles.page}>
      <div className={styles.card}>
        <Mark />
        <h1>Sign in to Roster</h1>
        {why && <Notice kind="warn">{why}</Notice>}
        {link ? <LinkForm link={link} onRefused={() => setLink(undefined)} /> : <KeyForm />}
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
        <Button onClick={onRefused}>Use an API key</Button>
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
