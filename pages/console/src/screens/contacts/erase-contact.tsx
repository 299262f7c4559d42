import { useQuery } from '@tanstack/react-query';
import { useState, type FormEvent } from 'react';
import { gatewayUrl } from '../../boot.js';
import { newKey } from '../../data/graphql.js';
import { rest } from '../../data/rest.js';
import { useSubmit } from '../../data/submit.js';
import { Button } from '../../parts/button.js';
import { Dialog, DialogButtons } from '../../parts/dialog.js';
import { Field } from '../../parts/field.js';
import { Notice } from '../../parts/notice.js';
import { Progress } from '../../parts/progress.js';
import styles from './add-contact.module.css';

interface EraseContactProps {
  id: string;
  /** Its address. Undefined if the contact was deleted before. */
  email: string | undefined;
  /** @param hasBegun whether the contact is deleted now */
  onClose: (hasBegun: boolean) => void;
}

/** An erasure, as REST returns it. */
interface Erasure {
  id: string;
  step: (typeof steps)[number] | null;
  events: number;
  deliveries: number;
  records: number;
  endedAt: string | null;
}

/** In their order. */
const steps = ['events', 'deliveries', 'records'] as const;
const pollMs = 1000;

/** Asks for the address of the contact, erases what is stored of it everywhere, and shows how far that is. */
export function EraseContact({ id, email, onClose }: EraseContactProps) {
  const [begun, setBegun] = useState<Erasure>();
  return (
    <Dialog title="Erase contact" onClose={() => onClose(begun !== undefined)}>
      {begun ? (
        <EraseProgress begun={begun} onClose={() => onClose(true)} />
      ) : (
        <EraseForm id={id} email={email} onBegun={setBegun} onClose={() => onClose(false)} />
      )}
    </Dialog>
  );
}

interface EraseFormProps extends Pick<EraseContactProps, 'id' | 'email'> {
  onBegun: (erasure: Erasure) => void;
  onClose: () => void;
}

function EraseForm({ id, email, onBegun, onClose }: EraseFormProps) {
  const [typed, setTyped] = useState('');
  const [isOther, setOther] = useState(false);
  const [key, setKey] = useState(newKey);
  const [submit, { isBusy, errorOf, failure }] = useSubmit(['email']);
  const erase = (event: FormEvent) => {
    event.preventDefault();
    if (isBusy) return;
    const address = typed.trim();
    const isConfirmed = email === undefined || address.toLowerCase() === email.toLowerCase();
    setOther(!isConfirmed);
    if (!isConfirmed) return;
    void submit(async () => {
      const { data } = await rest<{ erasure: Erasure }>('POST', `/v1/contacts/${id}/erase`, {
        idempotencyKey: key,
        ...(email === undefined && { body: { email: address } }),
      });
      onBegun(data.erasure);
    });
  };
  return (
    <form onSubmit={erase} noValidate>
      <Notice kind="warn">This cannot be undone.</Notice>
      <p>
        {email === undefined ? 'All that is' : 'The contact is deleted, and all that is'} stored of
        it is erased: its events, what was sent to webhooks and what they answered, and responses,
        imports and actions that contain its address. Webhooks are told that it was erased, by its
        ID.
      </p>
      <p>
        Copies that receivers have, exports that were downloaded and backups are not reached.{' '}
        <a
          className={styles.link}
          href={`${gatewayUrl}/docs/guides/erasure#what-is-not-reached`}
          target="_blank"
          rel="noreferrer"
        >
          What else remains
        </a>
      </p>
      <Field
        label={email === undefined ? 'Address that the contact had' : 'Address of the contact'}
        hint={
          email === undefined ? (
            'Records without its ID are found by this.'
          ) : (
            <>
              Type <bdi>{email}</bdi> to confirm.
            </>
          )
        }
        error={isOther ? 'This is another address.' : errorOf('email')}
      >
        <input
          inputMode="email"
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          required
          value={typed}
          onChange={({ target }) => {
            setTyped(target.value);
            setKey(newKey());
          }}
        />
      </Field>
      {failure !== undefined && <Notice kind="bad">{failure}</Notice>}
      <DialogButtons>
        <Button onClick={onClose}>Cancel</Button>
        <Button kind="danger" type="submit" busy={isBusy}>
          Erase contact
        </Button>
      </DialogButtons>
    </form>
  );
}

function EraseProgress({ begun, onClose }: { begun: Erasure; onClose: () => void }) {
  const { data: now, error } = useQuery({
    queryKey: ['erasure', begun.id],
    queryFn: async ({ signal }) => {
      const { data } = await rest<{ erasure: Erasure }>('GET', `/v1/erasures/${begun.id}`, {
        signal,
      });
      return data.erasure;
    },
    initialData: begun,
    refetchInterval: ({ state }) => (state.data?.endedAt ? false : pollMs),
  });
  const counts = [
    countOf(now.events, 'event'),
    countOf(now.deliveries, 'delivery', 'deliveries'),
    `${countOf(now.records, 'other record')}.`,
  ].join(', ');
  return (
    <section>
      {now.endedAt === null ? (
        <>
          <Progress
            label="Erasing"
            done={now.step === null ? steps.length : steps.indexOf(now.step)}
            total={steps.length}
            unit="steps done"
          />
          <p>The contact is deleted. The erasure continues when this is closed.</p>
        </>
      ) : (
        <Notice>The contact is erased: {counts}</Notice>
      )}
      {error && <Notice kind="bad">{error.message}</Notice>}
      <DialogButtons>
        <Button kind="primary" autoFocus onClick={onClose}>
          Close
        </Button>
      </DialogButtons>
    </section>
  );
}

const countOf = (count: number, one: string, many = `${one}s`): string =>
  `${count.toLocaleString()} ${count === 1 ? one : many}`;
