import { useState, type FormEvent } from 'react';
import { Button } from '../parts/button.js';
import { Field } from '../parts/field.js';
import { session } from './session.js';
import styles from './sign-in.module.css';

/** A pasted key is exchanged for a session, and forgotten. */
export function KeyForm() {
  const [failure, setFailure] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = event.currentTarget;
    const apiKey = (new FormData(form).get('key') as string).trim();
    setBusy(true);
    setFailure(undefined);
    await session.signIn({ apiKey }).catch((error: Error) => {
      setFailure(error.message);
      form.querySelector('input')?.focus();
    });
    setBusy(false);
  };
  return (
    <form onSubmit={(event) => void submit(event)} className={styles.form}>
      <Field label="API key" error={failure}>
        <input
          name="key"
          type="password"
          autoComplete="off"
          spellCheck={false}
          placeholder="rsk_…"
          required
          autoFocus
        />
      </Field>
      <Button kind="primary" type="submit" busy={isBusy}>
        Sign in
      </Button>
      <p className={styles.quiet}>
        The key is exchanged for a session of 12 hours and not kept. Without a key, run{' '}
        <code>npm run roster -- console link</code>.
      </p>
    </form>
  );
}
