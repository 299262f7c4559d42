import { useState, type FormEvent } from 'react';
import { request } from '../../data/graphql.js';
import { useSubmit } from '../../data/submit.js';
import { Button } from '../../parts/button.js';
import { Confirm } from '../../parts/confirm.js';
import { Copy } from '../../parts/copy.js';
import { Details } from '../../parts/details.js';
import { Dialog, DialogButtons, FormEnd } from '../../parts/dialog.js';
import { Field } from '../../parts/field.js';
import { Secret } from '../../parts/secret.js';
import { Panel } from '../../parts/split.js';
import { FullTime } from '../../parts/time.js';
import { useIdentityProvider } from '../../session/identity-button.js';
import { DeleteKey, RotateKey, type KeyRowFragment } from './keys.graphql.js';
import styles from './keys.module.css';
import { SignInDialog } from './sign-in-dialog.js';

interface KeyPanelProps {
  apiKey: KeyRowFragment;
  owner: string;
  onClose: () => void;
  onChanged: () => void;
}

/** A key: who uses it, and how to replace or end it. */
export function KeyPanel({ apiKey, owner, onClose, onChanged }: KeyPanelProps) {
  const [open, setOpen] = useState<'rotate' | 'sign-in' | 'delete'>();
  const { id, name, prefix, scopes, createdAt, expiresAt, lastUsedAt, lastUsedIp } = apiKey;
  const host = useIdentityProvider();
  const close = () => setOpen(undefined);
  return (
    <Panel
      title={<bdi>{name || 'Without a name'}</bdi>}
      label={`API key ${name}`}
      onClose={onClose}
    >
      <Details
        of={{
          User: <bdi>{owner}</bdi>,
          'Begins with': prefix ? <code>{prefix}…</code> : undefined,
          Scopes: scopes.map((scope) => scope.toLowerCase()).join(', '),
          'Last used': lastUsedAt ? (
            <>
              <FullTime at={lastUsedAt} />
              {lastUsedIp && ` from ${lastUsedIp}`}
            </>
          ) : (
            'never'
          ),
          'Signs in': apiKey.signInEmail ? <bdi>{apiKey.signInEmail}</bdi> : undefined,
          Created: <FullTime at={createdAt} />,
          Expires: expiresAt ? <FullTime at={expiresAt} /> : 'never',
          ID: (
            <span className={styles.id}>
              <code>{id}</code> <Copy text={id} what="ID" />
            </span>
          ),
        }}
      />
      <div className={styles.actions}>
        <Button onClick={() => setOpen('rotate')}>Rotate…</Button>
        {host && <Button onClick={() => setOpen('sign-in')}>Sign-in…</Button>}
        <Button kind="danger" onClick={() => setOpen('delete')}>
          Revoke…
        </Button>
      </div>
      {open === 'rotate' && (
        <RotateDialog id={id} name={name} onClose={close} onRotated={onChanged} />
      )}
      {open === 'sign-in' && host && (
        <SignInDialog apiKey={apiKey} host={host} onClose={close} onChanged={onChanged} />
      )}
      {open === 'delete' && (
        <Confirm
          title={`Revoke “${name}”?`}
          action="Revoke key"
          onClose={close}
          run={async () => {
            await request(DeleteKey, { id });
            onClose();
            onChanged();
          }}
        >
          Requests with this key, and tokens made with it, are refused within a second. This cannot
          be undone.
        </Confirm>
      )}
    </Panel>
  );
}

const overlaps = {
  'not at all': 0,
  'for one hour': 3600,
  'for one day': 86_400,
  'for one week': 604_800,
};

interface RotateDialogProps {
  id: string;
  name: string;
  onClose: () => void;
  onRotated: () => void;
}

function RotateDialog({ id, name, onClose: close, onRotated }: RotateDialogProps) {
  const [secret, setSecret] = useState<string>();
  const [submit, { isBusy, failure }] = useSubmit();
  const onSubmit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const overlap = new FormData(event.currentTarget).get('overlap') as keyof typeof overlaps;
    void submit(async () => {
      const { rotateApiKey } = await request(RotateKey, {
        input: { id, overlapSeconds: overlaps[overlap] },
      });
      setSecret(rotateApiKey.secret);
    });
  };
  // The list that is read again takes the panel away, and with it the only view of the secret.
  const onClose = () => {
    close();
    if (secret) onRotated();
  };
  return (
    <Dialog title={`Rotate “${name}”`} onClose={onClose}>
      {secret ? (
        <section>
          <Secret value={secret} what="API key" />
          <DialogButtons>
            <Button kind="primary" onClick={onClose}>
              Done
            </Button>
          </DialogButtons>
        </section>
      ) : (
        <form onSubmit={onSubmit}>
          <p>The key gets a new secret, and keeps its ID, name and scopes.</p>
          <Field label="The former secret remains valid">
            <select name="overlap" defaultValue="for one day">
              {Object.keys(overlaps).map((one) => (
                <option key={one}>{one}</option>
              ))}
            </select>
          </Field>
          <FormEnd action="Rotate key" failure={failure} isBusy={isBusy} onClose={onClose} />
        </form>
      )}
    </Dialog>
  );
}
