import { useQueryClient } from '@tanstack/react-query';
import { useState, type FormEvent } from 'react';
import { useLocation } from 'wouter';
import { write } from '../../data/graphql.js';
import { useSubmit } from '../../data/submit.js';
import { Button } from '../../parts/button.js';
import { Copy } from '../../parts/copy.js';
import { Dialog, DialogButtons, FormEnd } from '../../parts/dialog.js';
import { Notice } from '../../parts/notice.js';
import styles from './add-webhook.module.css';
import { SendTest } from './send-test.js';
import {
  headersOf,
  rateOf,
  WebhookFields,
  webhookFields,
  type WebhookInput,
} from './webhook-fields.js';
import { filterOf } from './webhook-filter.js';
import { CreateWebhook, type CreateWebhookMutation } from './webhooks.graphql.js';

type Created = CreateWebhookMutation['createWebhook']['webhook'];

/** Adds a webhook, then shows its secret and sends a first request. */
export function AddWebhook({ onClose }: { onClose: () => void }) {
  const client = useQueryClient();
  const [created, setCreated] = useState<Created>();
  const [input, setInput] = useState<WebhookInput>({
    url: '',
    description: '',
    events: ['ALL'],
    payload: 'COMPACT',
    headers: '',
    ratePerSecond: '',
    filter: '',
    traceContext: false,
  });
  const [submit, { isBusy, errorOf, failure }] = useSubmit(webhookFields(input));
  const save = (event: FormEvent) => {
    event.preventDefault();
    void submit(async () => {
      const { createWebhook } = await write(CreateWebhook, {
        input: {
          ...input,
          description: input.description || null,
          headers: headersOf(input.headers),
          ratePerSecond: rateOf(input.ratePerSecond),
          filter: filterOf(input.filter),
        },
      });
      setCreated(createWebhook.webhook);
      void client.invalidateQueries({ queryKey: ['webhooks'] });
    });
  };
  if (created) return <Added webhook={created} onClose={onClose} />;
  return (
    <Dialog title="Add webhook" onClose={onClose}>
      <form onSubmit={save}>
        <WebhookFields value={input} onChange={setInput} errorOf={errorOf} />
        <FormEnd action="Add webhook" failure={failure} isBusy={isBusy} onClose={onClose} />
      </form>
    </Dialog>
  );
}

function Added({ webhook, onClose }: { webhook: Created; onClose: () => void }) {
  const [, navigate] = useLocation();
  return (
    <Dialog title="Webhook added" onClose={onClose}>
      <section>
        {webhook.signingSecret ? (
          <div className={styles.secret}>
            <p>Requests are signed with this secret. Your receiver verifies them with it.</p>
            <div className={styles.line}>
              <code>{webhook.signingSecret}</code>
              <Copy text={webhook.signingSecret} what="secret" isWide />
            </div>
          </div>
        ) : (
          <Notice>The secret can only be read with the scope “user”.</Notice>
        )}
        <SendTest webhook={webhook} />
        <DialogButtons>
          <Button onClick={() => navigate(`/webhooks/${webhook.id}?tab=verify`)}>
            How to verify
          </Button>
          <Button kind="primary" onClick={() => navigate(`/webhooks/${webhook.id}`)}>
            Open webhook
          </Button>
        </DialogButtons>
      </section>
    </Dialog>
  );
}
