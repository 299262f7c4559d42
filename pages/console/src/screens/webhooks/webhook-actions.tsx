import { useQueryClient } from '@tanstack/react-query';
import { History, MoreHorizontal, Pencil, Send } from 'lucide-react';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { write } from '../../data/graphql.js';
import { Button } from '../../parts/button.js';
import { Confirm } from '../../parts/confirm.js';
import { Dialog, DialogButtons } from '../../parts/dialog.js';
import { Popover } from '../../parts/popover.js';
import { toast } from '../../parts/toasts.js';
import { EditWebhook } from './edit-webhook.js';
import { Replay } from './replay.js';
import { Rotate } from './rotate.js';
import { SendTest } from './send-test.js';
import styles from './webhook-actions.module.css';
import {
  DeleteWebhook,
  DisableWebhook,
  EnableWebhook,
  type WebhookRowFragment,
} from './webhooks.graphql.js';

type Act = 'test' | 'replay' | 'edit' | 'rotate' | 'disable' | 'delete';

/** What can be done with a webhook. */
export function WebhookActions({ webhook }: { webhook: WebhookRowFragment }) {
  const [act, setAct] = useState<Act>();
  const client = useQueryClient();
  const [, navigate] = useLocation();
  const { id, url, status } = webhook;
  const close = () => setAct(undefined);
  const reload = async () => {
    await client.invalidateQueries({ queryKey: ['webhook', id] });
    await client.invalidateQueries({ queryKey: ['webhooks'] });
  };
  const enable = async () => {
    try {
      await write(EnableWebhook, { id });
      toast('Enabled. Deliveries that were pending are sent now.');
      await reload();
    } catch (error) {
      toast((error as Error).message, { kind: 'bad' });
    }
  };
  return (
    <>
      <div className={styles.actions}>
        <Button
          icon={<Send size={16} aria-hidden />}
          data-key="t"
          title="Send a test event (t)"
          onClick={() => setAct('test')}
        >
          Send test
        </Button>
        <Button icon={<History size={16} aria-hidden />} onClick={() => setAct('replay')}>
          Replay
        </Button>
        <Button
          icon={<Pencil size={16} aria-hidden />}
          data-key="e"
          title="Edit (e)"
          onClick={() => setAct('edit')}
        >
          Edit
        </Button>
        <Popover label="More" icon={<MoreHorizontal size={16} aria-hidden />} isIconOnly>
          {(closeMenu) => {
            const entry = (label: string, run: () => void, kind: 'quiet' | 'danger' = 'quiet') => (
              <Button
                kind={kind}
                className={styles.entry}
                onClick={() => {
                  closeMenu();
                  run();
                }}
              >
                {label}
              </Button>
            );
            return (
              <div className={styles.menu}>
                {entry('Rotate secret…', () => setAct('rotate'))}
                {status === 'DISABLED'
                  ? entry('Enable', () => void enable())
                  : entry('Disable…', () => setAct('disable'))}
                {entry('Delete…', () => setAct('delete'), 'danger')}
              </div>
            );
          }}
        </Popover>
      </div>
      {act === 'test' && (
        <Dialog title="Send a test" onClose={close}>
          <section>
            <SendTest webhook={webhook} />
            <DialogButtons>
              <Button onClick={close}>Close</Button>
            </DialogButtons>
          </section>
        </Dialog>
      )}
      {act === 'replay' && <Replay webhook={webhook} onClose={close} />}
      {act === 'edit' && <EditWebhook webhook={webhook} onSaved={reload} onClose={close} />}
      {act === 'rotate' && <Rotate webhookId={id} onClose={close} />}
      {act === 'disable' && (
        <Confirm
          title="Disable webhook"
          action="Disable webhook"
          run={async () => {
            await write(DisableWebhook, { id });
            await reload();
          }}
          onClose={close}
        >
          <p>
            Nothing is sent to <bdi>{url}</bdi> until it is enabled. Pending deliveries wait; events
            that happen meanwhile are skipped, and can be replayed.
          </p>
        </Confirm>
      )}
      {act === 'delete' && (
        <Confirm
          title="Delete webhook"
          action="Delete webhook"
          run={async () => {
            await write(DeleteWebhook, { id });
            toast('The webhook was deleted.');
            navigate('/webhooks', { replace: true });
            await client.invalidateQueries({ queryKey: ['webhooks'] });
          }}
          onClose={close}
        >
          <p>
            <bdi>{url}</bdi> and its secret are deleted, and pending deliveries are not sent. Its
            past deliveries remain readable. This cannot be undone.
          </p>
        </Confirm>
      )}
    </>
  );
}
