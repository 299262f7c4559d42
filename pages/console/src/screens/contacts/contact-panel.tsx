import { useQuery } from '@tanstack/react-query';
import { Eraser, Trash2, X } from 'lucide-react';
import { lazy, Suspense, useId, useState, type FormEvent } from 'react';
import { gatewayUrl } from '../../boot.js';
import { Problem } from '../../data/problem.js';
import type { Property } from '../../data/properties.js';
import { useSubmit } from '../../data/submit.js';
import { Badge } from '../../parts/badge.js';
import { Button } from '../../parts/button.js';
import { Copy } from '../../parts/copy.js';
import { Details } from '../../parts/details.js';
import { EditField } from '../../parts/edit-field.js';
import { Field } from '../../parts/field.js';
import { Notice } from '../../parts/notice.js';
import { Panel } from '../../parts/split.js';
import { FullTime } from '../../parts/time.js';
import { toast } from '../../parts/toasts.js';
import { Avatar } from './avatar.js';
import styles from './contact-panel.module.css';
import { useContactStore } from './contact-store.js';
import { TagOptions } from './options.js';
import {
  booleans,
  inputOf,
  textOf,
  ValueInput,
  valueOf,
  type PropertyValue,
} from './property-value.js';
import { readContact, tagsIn, type Contact, type Versioned } from './contact.js';

const Timeline = lazy(async () => ({ default: (await import('./timeline.js')).Timeline }));
const EraseContact = lazy(async () => ({
  default: (await import('./erase-contact.js')).EraseContact,
}));

interface ContactPanelProps {
  id: string;
  properties: readonly Property[];
  onChanged: (contact: Contact) => void;
  onDelete: (version: Versioned) => void;
  /** Its erasure has begun, and the contact is deleted. */
  onErased: () => void;
  onClose: () => void;
}

/** A contact beside the list. Every field is saved by itself. */
export function ContactPanel(props: ContactPanelProps) {
  const { id, onErased, onClose } = props;
  /** The contact that the dialog is about: another one may be opened meanwhile. */
  const [erasing, setErasing] = useState<string>();
  const { data, error, refetch } = useQuery({
    queryKey: ['contact', id],
    queryFn: ({ signal }) => readContact(id, signal),
  });
  const { name, email } = data?.contact ?? { name: '', email: '' };
  const isGone = error instanceof Problem && error.status === 404;
  return (
    <Panel title={<bdi>{name || email || 'Contact'}</bdi>} label="Contact" onClose={onClose}>
      {isGone && (
        <Notice kind="warn">
          {data ? 'This contact was deleted meanwhile.' : 'There is no such contact.'}
        </Notice>
      )}
      {error && !isGone && (
        <>
          <Notice kind="bad">{error.message}</Notice>
          <Button onClick={() => void refetch()}>Try again</Button>
        </>
      )}
      {data && <Content key={id} {...props} version={data} />}
      {(data || isGone) && (
        <div className={styles.buttons}>
          {data && <Copy text={curlOf(data.contact)} what="as curl" isWide />}
          <Button
            kind="danger"
            icon={<Eraser size={16} aria-hidden />}
            onClick={() => setErasing(id)}
          >
            Erase…
          </Button>
          {data && !isGone && (
            <Button
              kind="danger"
              icon={<Trash2 size={16} aria-hidden />}
              onClick={() => props.onDelete(data)}
            >
              Delete
            </Button>
          )}
        </div>
      )}
      {erasing === id && (
        <Suspense>
          <EraseContact
            id={id}
            email={data?.contact.email}
            onClose={(hasBegun) => {
              setErasing(undefined);
              if (hasBegun) onErased();
            }}
          />
        </Suspense>
      )}
    </Panel>
  );
}

function Content({
  id,
  version,
  properties,
  onChanged,
}: ContactPanelProps & { version: Versioned }) {
  const { contact } = version;
  const store = useContactStore(id, onChanged);
  const defined = new Map(properties.map((property) => [property.name, property]));
  const names = Object.keys(contact.properties);
  return (
    <>
      <div className={styles.identity}>
        <Avatar of={contact.name || contact.email} isLarge />
        <Subscription contact={contact} setSubscribed={store.setSubscribed} />
      </div>
      <EditField
        label="Address"
        field="email"
        inputMode="email"
        value={contact.email}
        save={(text, base) =>
          store.saveText(
            ({ email }) => email,
            (email) => ({ email }),
            text.trim(),
            base,
          )
        }
      />
      <EditField
        label="Name"
        field="name"
        value={contact.name}
        placeholder="No name"
        save={(text, base) =>
          store.saveText(
            ({ name }) => name,
            (name) => ({ name }),
            text,
            base,
          )
        }
      />
      <EditField
        label="External ID"
        field="externalId"
        value={contact.externalId ?? ''}
        placeholder="None"
        save={(text, base) =>
          store.saveText(
            ({ externalId }) => externalId ?? '',
            (externalId) => ({ externalId: externalId === '' ? null : externalId }),
            text.trim(),
            base,
          )
        }
      />
      <Tags of={contact.tags} add={store.addTags} remove={store.removeTag} />
      <section className={styles.section} aria-label="Properties">
        <h3>Properties</h3>
        {names.map((name) => (
          <EditField
            key={name}
            label={defined.get(name)?.label ?? name}
            field={`properties/${name}`}
            {...inputOf(defined.get(name)?.type)}
            choices={defined.get(name)?.type === 'BOOLEAN' ? booleans : undefined}
            value={textOf(contact.properties[name])}
            save={(text, base) =>
              store.saveText(
                (one) => textOf(one.properties[name]),
                (value) => ({ properties: { [name]: valueOf(defined.get(name)?.type, value) } }),
                text,
                base,
              )
            }
            onRemove={() =>
              store
                .setProperty(name, null)
                .catch((reason: Error) => toast(reason.message, { kind: 'bad' }))
            }
          />
        ))}
        <AddProperty
          offered={properties.filter(({ name }) => !names.includes(name))}
          add={store.setProperty}
        />
      </section>
      <Suspense>
        <Timeline contactId={id} />
      </Suspense>
      <Details
        of={{
          Created: <FullTime at={contact.createdAt} />,
          ID: (
            <span className={styles.copied}>
              <code>{id}</code>
              <Copy text={id} what="ID" />
            </span>
          ),
        }}
      />
    </>
  );
}

function Subscription({
  contact,
  setSubscribed,
}: {
  contact: Contact;
  setSubscribed: (isSubscribed: boolean) => Promise<void>;
}) {
  const [submit, { isBusy, failure }] = useSubmit();
  const isSubscribed = contact.status === 'subscribed';
  return (
    <div className={styles.subscription}>
      {isSubscribed ? <span>Subscribed</span> : <Badge kind="warn">Unsubscribed</Badge>}
      <Button busy={isBusy} onClick={() => void submit(() => setSubscribed(!isSubscribed))}>
        {isSubscribed ? 'Unsubscribe' : 'Resubscribe'}
      </Button>
      {failure !== undefined && <p className={styles.error}>{failure}</p>}
    </div>
  );
}

interface TagsProps {
  of: readonly string[];
  add: (tags: readonly string[]) => Promise<void>;
  remove: (tag: string) => Promise<void>;
}

function Tags({ of, add, remove }: TagsProps) {
  const id = useId();
  const [text, setText] = useState('');
  const [isEntered, setEntered] = useState(false);
  const [submit, { isBusy, problem }] = useSubmit();
  const error =
    problem && (problem.errors[0] ? `A tag ${problem.errors[0].message}.` : problem.message);
  const send = (event: FormEvent) => {
    event.preventDefault();
    const tags = tagsIn(text);
    if (tags.length === 0 || isBusy) return;
    void submit(async () => {
      await add(tags);
      setText('');
    });
  };
  return (
    <section className={styles.section} aria-label="Tags">
      <h3>Tags</h3>
      {of.length > 0 && (
        <ul className={styles.tags}>
          {of.map((tag) => (
            <li key={tag}>
              <bdi>{tag}</bdi>
              <button
                type="button"
                aria-label={`Remove the tag ${tag}`}
                onClick={() => void submit(() => remove(tag))}
              >
                <X size={14} aria-hidden />
              </button>
            </li>
          ))}
        </ul>
      )}
      <form className={styles.line} onSubmit={send}>
        <Field label="Add a tag" error={error}>
          <input
            list={id}
            autoComplete="off"
            value={text}
            onFocus={() => setEntered(true)}
            onChange={({ target }) => setText(target.value)}
          />
        </Field>
        <TagOptions id={id} typed={isEntered ? text : undefined} except={of} />
        <Button type="submit" busy={isBusy}>
          Add
        </Button>
      </form>
    </section>
  );
}

interface AddPropertyProps {
  offered: readonly Property[];
  add: (name: string, value: PropertyValue) => Promise<void>;
}

/** A name that the workspace has not yet is defined with its first value. */
function AddProperty({ offered, add }: AddPropertyProps) {
  const id = useId();
  const [name, setName] = useState('');
  const [value, setValue] = useState('');
  const [submit, { isBusy, problem, failure }] = useSubmit();
  const error = problem?.errors[0] && `${problem.errors[0].message}.`;
  const type = offered.find((one) => one.name === name.trim())?.type;
  const send = (event: FormEvent) => {
    event.preventDefault();
    if (name.trim() === '' || isBusy) return;
    void submit(async () => {
      await add(name.trim(), valueOf(type, value));
      setName('');
      setValue('');
    });
  };
  return (
    <form className={styles.add} onSubmit={send}>
      <div className={styles.line}>
        <Field label="Add a property">
          <input
            list={id}
            autoComplete="off"
            placeholder="Name"
            maxLength={64}
            value={name}
            onChange={({ target }) => setName(target.value)}
          />
        </Field>
        <Field label="Value">
          <ValueInput
            of={type}
            value={value}
            onChange={({ target }) => setValue((target as HTMLInputElement).value)}
          />
        </Field>
        <Button type="submit" busy={isBusy}>
          Add
        </Button>
      </div>
      <datalist id={id}>
        {offered.map((one) => (
          <option key={one.name} value={one.name} label={one.label} />
        ))}
      </datalist>
      {failure !== undefined && (
        <p className={styles.error} role="alert">
          {error ?? failure}
        </p>
      )}
    </form>
  );
}

const curlOf = ({ id }: Contact): string =>
  `curl ${gatewayUrl}/v1/contacts/${id} -H "Authorization: Bearer $ROSTER_KEY"`;
