import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { request, write } from '../../data/graphql.js';
import { concernsWebhook, fallbackMs, useRefresh } from '../../data/live.js';
import { Badge } from '../../parts/badge.js';
import { Button } from '../../parts/button.js';
import { Time } from '../../parts/time.js';
import { toast } from '../../parts/toasts.js';
import styles from './status.module.css';
import { EnableWebhook, NextAttempt, type WebhookRowFragment } from './webhooks.graphql.js';

/** How often the next attempt is looked for at most. */
const nextMs = 2000;

type StatusOf = Pick<WebhookRowFragment, 'id' | 'status' | 'disabledReason' | 'lastSuccessAt'>;

/** What is wrong with a webhook, and what follows. Nothing if all is well. */
export function Status({ webhook }: { webhook: StatusOf }) {
  if (webhook.status === 'DISABLED') return <Disabled webhook={webhook} />;
  if (webhook.status === 'FAILING') return <Failing webhook={webhook} />;
  return null;
}

function Failing({ webhook: { id, lastSuccessAt } }: { webhook: StatusOf }) {
  const { data: next, refetch } = useQuery({
    queryKey: ['webhook-next', id],
    queryFn: async ({ signal }) => {
      const { webhook } = await request(NextAttempt, { id }, signal);
      const times = webhook?.deliveries?.nodes.flatMap(({ nextAttemptAt }) => nextAttemptAt ?? []);
      return times?.toSorted()[0] ?? null;
    },
    refetchInterval: fallbackMs,
  });
  useRefresh(
    (activity) => concernsWebhook(activity, (one) => one === id),
    () => void refetch(),
    nextMs,
  );
  return (
    <div className={styles.status}>
      <Badge kind="bad">Failing</Badge>
      <span>
        {lastSuccessAt ? (
          <>
            last success <Time at={lastSuccessAt} />
          </>
        ) : (
          'no attempt has succeeded'
        )}
        {next && (
          <>
            {' · '}next attempt {Date.parse(next) <= Date.now() + 5000 ? 'now' : <Time at={next} />}
          </>
        )}
      </span>
    </div>
  );
}

function Disabled({ webhook: { id, disabledReason } }: { webhook: StatusOf }) {
  const client = useQueryClient();
  const [isBusy, setBusy] = useState(false);
  const enable = async () => {
    setBusy(true);
    try {
      await write(EnableWebhook, { id });
      toast('Enabled. Deliveries that were pending are sent now.');
      await client.invalidateQueries({ queryKey: ['webhooks'] });
      await client.invalidateQueries({ queryKey: ['webhook', id] });
    } catch (error) {
      toast((error as Error).message, { kind: 'bad' });
    } finally {
      setBusy(false);
    }
  };
  return (
    <div className={styles.status}>
      <Badge kind="warn">Disabled</Badge>
      {disabledReason && <span>{disabledReason}</span>}
      <Button busy={isBusy} onClick={() => void enable()}>
        Enable
      </Button>
    </div>
  );
}
