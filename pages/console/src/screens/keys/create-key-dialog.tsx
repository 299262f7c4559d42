import { useState, type FormEvent } from 'react';
import { request } from '../../data/graphql.js';
import { useSubmit } from '../../data/submit.js';
import { Button } from '../../parts/button.js';
import { Dialog, DialogButtons, FormEnd } from '../../parts/dialog.js';
import { Field } from '../../parts/field.js';
import { Secret } from '../../parts/secret.js';
import { CreateKey } from './keys.graphql.js';

interface CreateKeyDialogProps {
  users: readonly { id: string; name: string; email: string }[];
  onClose: () => void;
  onCreated: () => void;
}

const scopes = {
  'contacts and webhooks': ['USER', 'API_USER'],
  'contacts only': ['API_USER'],
  'webhooks, users and keys only': ['USER'],
} as const;

const days = { 'in 30 days': 30, 'in 90 days': 90, 'in one year': 365, never: undefined };

/** Asks for the name, scopes and expiry of a key, and shows its secret once. */
export function CreateKeyDialog({ users, onClose, onCreated }: CreateKeyDialogProps) {
  const [secret, setSecret] = useState<string>();
  const [submit, { isBusy, errorOf, failure }] = useSubmit([
    'name',
    'expiresAt',
    'scopes',
    'userId',
  ]);
  const onSubmit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = Object.fromEntries(new FormData(event.currentTarget)) as Record<string, string>;
    const validDays = days[form['expires'] as keyof typeof days];
    void submit(async () => {
      const { createApiKey } = await request(CreateKey, {
        input: {
          name: form['name']!,
          scopes: [...scopes[form['scopes'] as keyof typeof scopes]],
          ...(form['userId'] && { userId: form['userId'] }),
          ...(validDays && {
            expiresAt: new Date(Date.now() + validDays * 86_400_000).toISOString(),
          }),
        },
      });
      setSecret(createApiKey.secret);
      onCreated();
    });
  };
  if (secret)
    return (
      <Dialog title="The new key" onClose={onClose}>
        <section>
          <Secret value={secret} what="API key" />
          <DialogButtons>
            <Button kind="primary" onClick={onClose}>
              Done
            </Button>
          </DialogButtons>
        </section>
      </Dialog>
    );
  return (
    <Dialog title="New API key" onClose={onClose}>
      <form onSubmit={onSubmit}>
        <Field label="Name" hint="What will use it, such as “Web shop”." error={errorOf('name')}>
          <input name="name" required maxLength={256} autoComplete="off" autoFocus />
        </Field>
        <Field label="Permitted" error={errorOf('scopes')}>
          <select name="scopes">
            {Object.keys(scopes).map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </Field>
        {users.length > 1 && (
          <Field label="User" hint="Whose name the audit log shows." error={errorOf('userId')}>
            <select name="userId">
              <option value="">You</option>
              {users.map(({ id, name, email }) => (
                <option key={id} value={id}>
                  {name || email}
                </option>
              ))}
            </select>
          </Field>
        )}
        <Field label="Expires" error={errorOf('expiresAt')}>
          <select name="expires" defaultValue="in one year">
            {Object.keys(days).map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </Field>
        <FormEnd action="Create key" failure={failure} isBusy={isBusy} onClose={onClose} />
      </form>
    </Dialog>
  );
}
