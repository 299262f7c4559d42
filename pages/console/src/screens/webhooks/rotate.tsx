import { useState, type FormEvent } from 'react';
import { write } from '../../data/graphql.js';
import { useSubmit } from '../../data/submit.js';
import { Button } from '../../parts/button.js';
import { Copy } from '../../parts/copy.js';
import { Dialog, DialogButtons, FormEnd } from '../../parts/dialog.js';
import { Field } from '../../parts/field.js';
import { Notice } from '../../parts/notice.js';
import styles from './add-webhook.module.css';
import { RotateWebhookToken } from './webhooks.graphql.js';

const overlaps = [
  ['0', 'None: the former secret ends now'],
  ['3600', '1 hour'],
  ['86400', '1 day'],
  ['604800', '7 days'],
] as const;

/** Another secret. Meanwhile, deliveries are signed with the former one too. */
export function Rotate({ webhookId, onClose }: { webhookId: string; onClose: () => void }) {
  const [overlap, setOverlap] = useState('86400');
  const [secret, setSecret] = useState<string | null>();
  const [submit, { isBusy, errorOf, failure }] = useSubmit(['overlapSeconds']);
  const rotate = (event: FormEvent) => {
    event.preventDefault();
    void submit(async () => {
      const input = { id: webhookId, overlapSeconds: Number(overlap) };
      const { rotateWebhookToken } = await write(RotateWebhookToken, { input });
      setSecret(rotateWebhookToken.webhook.signingSecret);
    });
  };
  if (secret !== undefined)
    return (
      <Dialog title="Secret rotated" onClose={onClose}>
        <section>
          <p>
            {overlap === '0'
              ? 'Deliveries are signed with this secret only.'
              : `Deliveries are signed with this secret, and for ${wordsOf(overlap)} with the former one too. Give it to your receiver until then.`}
          </p>
          {secret === null ? (
            <Notice>The secret can only be read with the scope “user”.</Notice>
          ) : (
            <div className={styles.line}>
              <code>{secret}</code>
              <Copy text={secret} what="secret" isWide />
            </div>
          )}
          <DialogButtons>
            <Button kind="primary" onClick={onClose}>
              Done
            </Button>
          </DialogButtons>
        </section>
      </Dialog>
    );
  return (
    <Dialog title="Rotate secret" onClose={onClose}>
      <form onSubmit={rotate}>
        <p>A new secret is generated. Receivers accept a delivery if one of its signatures fits.</p>
        <Field
          label="Sign with the former secret too for"
          error={errorOf('overlapSeconds')}
          hint="Time to give the new secret to your receiver."
        >
          <select value={overlap} onChange={({ target }) => setOverlap(target.value)}>
            {overlaps.map(([value, words]) => (
              <option key={value} value={value}>
                {words}
              </option>
            ))}
          </select>
        </Field>
        <FormEnd action="Rotate secret" failure={failure} isBusy={isBusy} onClose={onClose} />
      </form>
    </Dialog>
  );
}

const wordsOf = (overlap: string): string => overlaps.find(([value]) => value === overlap)![1];
