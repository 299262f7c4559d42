import { useState, type FormEvent } from 'react';
import { write } from '../../data/graphql.js';
import { useSubmit } from '../../data/submit.js';
import { Dialog, FormEnd } from '../../parts/dialog.js';
import { Notice } from '../../parts/notice.js';
import {
  headersOf,
  rateOf,
  WebhookFields,
  webhookFields,
  type WebhookInput,
} from './webhook-fields.js';
import { filterOf, filterText } from './webhook-filter.js';
import { UpdateWebhook, type WebhookRowFragment } from './webhooks.graphql.js';

interface EditWebhookProps {
  webhook: WebhookRowFragment;
  onSaved: () => Promise<void>;
  onClose: () => void;
}

export function EditWebhook({ webhook, onSaved, onClose }: EditWebhookProps) {
  const { url, events, payload } = webhook;
  const description = webhook.description ?? '';
  const [input, setInput] = useState<WebhookInput>({
    ...{ url, description, events, payload },
    headers: '',
    ratePerSecond: webhook.ratePerSecond?.toString() ?? '',
    filter: filterText(webhook.filter),
    traceContext: webhook.traceContext ?? false,
  });
  const [submit, { isBusy, errorOf, failure }] = useSubmit(webhookFields(input));
  const save = (event: FormEvent) => {
    event.preventDefault();
    void submit(async () => {
      await write(UpdateWebhook, { input: changesOf(webhook, input) });
      await onSaved();
      onClose();
    });
  };
  return (
    <Dialog title="Edit webhook" onClose={onClose}>
      <form onSubmit={save}>
        <WebhookFields
          value={input}
          onChange={setInput}
          errorOf={errorOf}
          headerNames={webhook.headerNames ?? []}
        />
        {webhook.status === 'DISABLED' && input.url !== url && (
          <Notice>Another URL also enables the webhook.</Notice>
        )}
        <FormEnd action="Save" failure={failure} isBusy={isBusy} onClose={onClose} />
      </form>
    </Dialog>
  );
}

/** Only what was changed here, so that it does not undo a change that someone else made meanwhile. */
function changesOf(
  {
    id,
    url,
    description,
    events,
    payload,
    ratePerSecond,
    filter,
    traceContext,
  }: WebhookRowFragment,
  input: WebhookInput,
) {
  const headers = headersOf(input.headers);
  return {
    id,
    ...(input.description !== (description ?? '') && { description: input.description || null }),
    ...(input.url !== url && { url: input.url }),
    ...(input.events.join() !== events.join() && { events: input.events }),
    ...(headers && { headers }),
    ...(input.filter.trim() !== filterText(filter) && { filter: filterOf(input.filter) }),
    ...(rateOf(input.ratePerSecond) !== (ratePerSecond ?? null) && {
      ratePerSecond: rateOf(input.ratePerSecond),
    }),
    ...(input.payload !== payload && { payload: input.payload }),
    ...(input.traceContext !== (traceContext ?? false) && { traceContext: input.traceContext }),
  };
}
