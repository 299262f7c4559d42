import { useState, type FormEvent } from 'react';
import { request } from '../../data/graphql.js';
import { useSubmit } from '../../data/submit.js';
import { Dialog, FormEnd } from '../../parts/dialog.js';
import { Field } from '../../parts/field.js';
import { SetKeySignIn, type KeyRowFragment } from './keys.graphql.js';

interface SignInDialogProps {
  apiKey: Pick<KeyRowFragment, 'id' | 'name' | 'signInEmail'>;
  host: string;
  onClose: () => void;
  onChanged: () => void;
}

/** Asks whose verified address signs in as the key. */
export function SignInDialog({ apiKey, host, onClose, onChanged }: SignInDialogProps) {
  const { id, name, signInEmail } = apiKey;
  const [email, setEmail] = useState(signInEmail ?? '');
  const [submit, { isBusy, errorOf, failure }] = useSubmit(['email']);
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    void submit(async () => {
      await request(SetKeySignIn, { input: { id, ...(email && { email }) } });
      onChanged();
      onClose();
    });
  };
  return (
    <Dialog title={`Who signs in as “${name}”`} onClose={onClose}>
      <form onSubmit={onSubmit}>
        <Field
          label="Address"
          hint={`Verified by ${host}. Without an address, nobody signs in as this key.`}
          error={errorOf('email')}
        >
          <input
            name="email"
            type="email"
            value={email}
            autoComplete="off"
            autoFocus
            onChange={({ target }) => setEmail(target.value)}
          />
        </Field>
        {signInEmail && email !== signInEmail && (
          <p>The sessions that {signInEmail} has opened as this key end.</p>
        )}
        <FormEnd action="Save" failure={failure} isBusy={isBusy} onClose={onClose} />
      </form>
    </Dialog>
  );
}
