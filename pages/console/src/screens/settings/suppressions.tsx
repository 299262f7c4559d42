import { useState, type FormEvent } from 'react';
import { Plus } from 'lucide-react';
import { request } from '../../data/graphql.js';
import { useSubmit } from '../../data/submit.js';
import { Button } from '../../parts/button.js';
import { Dialog, FormEnd } from '../../parts/dialog.js';
import { Field } from '../../parts/field.js';
import { Notice } from '../../parts/notice.js';
import { Time } from '../../parts/time.js';
import { toast } from '../../parts/toasts.js';
import { Section } from './section.js';
import styles from './settings.module.css';
import {
  DeleteSuppression,
  FindSuppression,
  ImportSuppressions,
  type FindSuppressionQuery,
  type SuppressionReason,
} from './settings.graphql.js';

interface Found {
  email: string;
  suppression: NonNullable<FindSuppressionQuery['suppressions']>['nodes'][number] | undefined;
}

/** Addresses that receive nothing. They can be looked up and added, but not listed: they are not stored. */
export function Suppressions() {
  const [isAdding, setAdding] = useState(false);
  const [found, setFound] = useState<Found>();
  const [submit, { isBusy, errorOf, failure }] = useSubmit(['email']);
  const onSubmit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const email = (new FormData(event.currentTarget).get('email') as string).trim();
    void submit(async () => {
      setFound(undefined);
      const { suppressions } = await request(FindSuppression, { email });
      setFound({ email, suppression: suppressions?.nodes[0] });
    });
  };
  const remove = ({ email, suppression }: Found) =>
    void submit(async () => {
      await request(DeleteSuppression, { id: suppression!.id });
      setFound({ email, suppression: undefined });
      toast('The suppression is deleted.');
    });
  return (
    <Section
      title="Suppressions"
      about="Addresses that have unsubscribed, bounced or complained. Contacts that are created with them are unsubscribed."
      action={
        <Button icon={<Plus size={16} aria-hidden />} onClick={() => setAdding(true)}>
          Suppress addresses
        </Button>
      }
    >
      <form className={styles.form} onSubmit={onSubmit}>
        <Field
          label="Address"
          hint="Only whether an address is suppressed can be read."
          error={errorOf('email')}
        >
          <input name="email" type="email" required autoComplete="off" spellCheck={false} />
        </Field>
        <Button type="submit" busy={isBusy}>
          Look up
        </Button>
      </form>
      {failure !== undefined && <Notice kind="bad">{failure}</Notice>}
      {found && (
        <div role="status">
          <bdi>{found.email}</bdi>{' '}
          {found.suppression ? (
            <>
              is suppressed ({found.suppression.reason.toLowerCase()}, since{' '}
              <Time at={found.suppression.createdAt} />
              ). <Button onClick={() => remove(found)}>Delete suppression</Button>
            </>
          ) : (
            'is not suppressed.'
          )}
        </div>
      )}
      {isAdding && <AddDialog onClose={() => setAdding(false)} />}
    </Section>
  );
}

/** Of one request. */
const addressesMax = 1000;
const reasons: Record<SuppressionReason, string> = {
  MANUAL: 'Manual',
  BOUNCED: 'Bounced',
  COMPLAINED: 'Complained',
  UNSUBSCRIBED: 'Unsubscribed',
};

function AddDialog({ onClose }: { onClose: () => void }) {
  const [submit, { isBusy, failure }] = useSubmit();
  const [refused, setRefused] = useState<readonly string[]>([]);
  const onSubmit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const reason = form.get('reason') as SuppressionReason;
    const emails = (form.get('emails') as string).split(/[\s,;]+/).filter(Boolean);
    void submit(async () => {
      let created = 0;
      const wrong: string[] = [];
      for (let at = 0; at < emails.length; at += addressesMax) {
        const some = emails.slice(at, at + addressesMax);
        const { importSuppressions } = await request(ImportSuppressions, {
          input: { emails: some, reason },
        });
        created += importSuppressions.created;
        wrong.push(...importSuppressions.refused.map(({ index }) => some[index]!));
      }
      setRefused(wrong);
      toast(created === 1 ? '1 address is suppressed.' : `${created} addresses are suppressed.`);
      if (wrong.length === 0) onClose();
    });
  };
  return (
    <Dialog title="Suppress addresses" onClose={onClose}>
      <form onSubmit={onSubmit}>
        <Field label="Addresses" hint="One per line. Contacts that have them are unsubscribed.">
          <textarea name="emails" rows={6} required spellCheck={false} autoFocus />
        </Field>
        <Field label="Reason">
          <select name="reason" defaultValue="MANUAL">
            {Object.entries(reasons).map(([value, label]) => (
              <option key={value} value={value}>
                {label}
              </option>
            ))}
          </select>
        </Field>
        {refused.length > 0 && (
          <Notice kind="bad">
            {refused.length === 1 ? 'This is no address' : 'These are no addresses'}:{' '}
            {refused.slice(0, 10).join(', ')}
          </Notice>
        )}
        <FormEnd action="Suppress addresses" failure={failure} isBusy={isBusy} onClose={onClose} />
      </form>
    </Dialog>
  );
}
