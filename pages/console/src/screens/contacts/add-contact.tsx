import { useRef, type FormEvent } from 'react';
import { Link } from 'wouter';
import { newKey } from '../../data/graphql.js';
import { rest } from '../../data/rest.js';
import { useSubmit } from '../../data/submit.js';
import { Button } from '../../parts/button.js';
import { Dialog, DialogButtons } from '../../parts/dialog.js';
import { Field } from '../../parts/field.js';
import { Notice } from '../../parts/notice.js';
import styles from './add-contact.module.css';
import { tagsIn, type Contact } from './contact.js';
import { ValueInput, valueOf } from './property-value.js';
import type { Property } from '../../data/properties.js';

interface AddContactProps {
  properties: readonly Property[];
  onAdded: (contact: Contact) => void;
  onClose: () => void;
}

/** Properties that the form offers; the panel of a contact adds others. */
const propertiesMax = 12;

export function AddContact({ properties, onAdded, onClose }: AddContactProps) {
  const offered = properties.slice(0, propertiesMax);
  const [submit, { isBusy, problem, errorOf, failure }] = useSubmit([
    'email',
    'name',
    'externalId',
    ...offered.map(({ name }) => `properties/${name}`),
  ]);
  // Sending the same contact again after a connection was lost does not add it twice.
  const intent = useRef({ input: '', key: '' });
  const send = (form: HTMLFormElement) =>
    submit(async () => {
      const body = bodyOf(new FormData(form), offered);
      const input = JSON.stringify(body);
      if (intent.current.input !== input) intent.current = { input, key: newKey() };
      const { data } = await rest<{ contact: Contact }>('POST', '/v1/contacts', {
        body,
        idempotencyKey: intent.current.key,
      });
      onAdded(data.contact);
    });
  const existingId = problem?.document['existingId'];
  const existing = typeof existingId === 'string' && (
    <p>
      <Link href={`/contacts/${existingId}`} className={styles.link} onClick={onClose}>
        Open the contact that has this {errorOf('externalId') ? 'ID' : 'address'}
      </Link>
    </p>
  );
  const tagError = problem?.errors.find(({ pointer }) => pointer.startsWith('/tags'));
  return (
    <Dialog title="Add a contact" onClose={onClose}>
      <form
        noValidate
        onSubmit={(event: FormEvent<HTMLFormElement>) => {
          event.preventDefault();
          const form = event.currentTarget;
          void send(form).then(() =>
            form.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus(),
          );
        }}
      >
        <Field label="Address" error={errorOf('email')}>
          <input name="email" type="email" autoComplete="off" dir="auto" autoFocus />
        </Field>
        {!errorOf('externalId') && existing}
        <Field label="Name" error={errorOf('name')}>
          <input name="name" autoComplete="off" dir="auto" />
        </Field>
        <Field
          label="Tags"
          hint="Separated by commas."
          error={
            tagError && `${tagError.pointer.slice(6) ? 'A tag' : 'The list'} ${tagError.message}.`
          }
        >
          <input name="tags" autoComplete="off" />
        </Field>
        <Field
          label="External ID"
          hint="That of the contact in another system, if it has one."
          error={errorOf('externalId')}
        >
          <input name="externalId" autoComplete="off" dir="auto" />
        </Field>
        {errorOf('externalId') && existing}
        {offered.length > 0 && (
          <details className={styles.properties}>
            <summary>Properties</summary>
            <div>
              {offered.map(({ name, label, type }) => (
                <Field key={name} label={label} error={errorOf(`properties/${name}`)}>
                  <ValueInput of={type} name={`p.${name}`} />
                </Field>
              ))}
            </div>
          </details>
        )}
        {failure !== undefined && !tagError && <Notice kind="bad">{failure}</Notice>}
        <DialogButtons>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" busy={isBusy}>
            Add contact
          </Button>
        </DialogButtons>
      </form>
    </Dialog>
  );
}

function bodyOf(form: FormData, offered: readonly Property[]) {
  const types = new Map(offered.map(({ name, type }) => [`p.${name}`, type]));
  const text = (name: string) => (form.get(name) as string).trim();
  const tags = tagsIn(text('tags'));
  const properties = Object.fromEntries(
    [...form.keys()]
      .filter((name) => name.startsWith('p.') && text(name) !== '')
      .map((name) => [name.slice(2), valueOf(types.get(name), text(name))]),
  );
  return {
    email: text('email'),
    ...(text('name') !== '' && { name: text('name') }),
    ...(tags.length > 0 && { tags }),
    ...(text('externalId') !== '' && { externalId: text('externalId') }),
    ...(Object.keys(properties).length > 0 && { properties }),
  };
}
