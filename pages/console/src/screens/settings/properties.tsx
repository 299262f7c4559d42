import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Pencil, Plus, Trash2 } from 'lucide-react';
import { useState, type FormEvent } from 'react';
import { request } from '../../data/graphql.js';
import { useSubmit } from '../../data/submit.js';
import { Button, IconButton } from '../../parts/button.js';
import { Confirm } from '../../parts/confirm.js';
import { Dialog, FormEnd } from '../../parts/dialog.js';
import { Field } from '../../parts/field.js';
import { Notice } from '../../parts/notice.js';
import { Section } from './section.js';
import styles from './settings.module.css';
import {
  CreateProperty,
  DeleteProperty,
  Properties as PropertiesDocument,
  UpdateProperty,
  type ContactPropertyType,
  type PropertyRowFragment,
} from './settings.graphql.js';

const types: Record<ContactPropertyType, string> = {
  STRING: 'Text',
  NUMBER: 'Number',
  BOOLEAN: 'True or false',
  DATE: 'Date',
};

type Open = { edit: PropertyRowFragment | undefined } | { remove: PropertyRowFragment };

/** The properties that contacts can have. */
export function Properties() {
  const [open, setOpen] = useState<Open>();
  const client = useQueryClient();
  const { data, error } = useQuery({
    queryKey: ['properties'],
    queryFn: ({ signal }) => readAll(signal),
  });
  const close = () => setOpen(undefined);
  const changed = () => client.invalidateQueries({ queryKey: ['properties'] });
  return (
    <Section
      title="Properties"
      about="What a contact has beside its address, name, tags and status."
      action={
        <Button icon={<Plus size={16} aria-hidden />} onClick={() => setOpen({ edit: undefined })}>
          Add property
        </Button>
      }
    >
      {error && <Notice kind="bad">{error.message}</Notice>}
      {data?.length === 0 && <p className={styles.none}>No property is defined yet.</p>}
      <ul className={styles.properties}>
        {data?.map((property) => (
          <li key={property.id}>
            <div>
              <strong>
                <bdi>{property.label}</bdi>
              </strong>{' '}
              <code>{property.name}</code> <span>{types[property.type].toLowerCase()}</span>
              {property.description && <p>{property.description}</p>}
            </div>
            <IconButton
              label={`Edit ${property.name}`}
              icon={<Pencil size={16} aria-hidden />}
              onClick={() => setOpen({ edit: property })}
            />
            <IconButton
              label={`Delete ${property.name}`}
              icon={<Trash2 size={16} aria-hidden />}
              onClick={() => setOpen({ remove: property })}
            />
          </li>
        ))}
      </ul>
      {open && 'edit' in open && (
        <EditDialog property={open.edit} onClose={close} onSaved={changed} />
      )}
      {open && 'remove' in open && (
        <Confirm
          title={`Delete the property “${open.remove.name}”?`}
          action="Delete property"
          onClose={close}
          run={async () => {
            await request(DeleteProperty, { id: open.remove.id });
            await changed();
          }}
        >
          The definition is deleted. Contacts keep the values that they have.
        </Confirm>
      )}
    </Section>
  );
}

/** Definitions are few: their number is limited. */
async function readAll(signal: AbortSignal): Promise<PropertyRowFragment[]> {
  const all: PropertyRowFragment[] = [];
  for (;;) {
    const after = all.at(-1)?.id ?? null;
    const { contactProperties } = await request(PropertiesDocument, { after }, signal);
    all.push(...(contactProperties ?? []));
    if ((contactProperties?.length ?? 0) < 100) return all;
  }
}

interface EditDialogProps {
  property: PropertyRowFragment | undefined;
  onClose: () => void;
  onSaved: () => Promise<void>;
}

function EditDialog({ property, onClose, onSaved }: EditDialogProps) {
  const [submit, { isBusy, errorOf, failure }] = useSubmit([
    'name',
    'label',
    'description',
    'type',
  ]);
  const onSubmit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = Object.fromEntries(new FormData(event.currentTarget)) as Record<string, string>;
    const { label, description } = { label: form['label']!, description: form['description']! };
    const type = form['type'] as ContactPropertyType;
    void submit(async () => {
      await (property
        ? request(UpdateProperty, {
            input: {
              id: property.id,
              label,
              description,
              ...(type !== property.type && { type }),
            },
          })
        : request(CreateProperty, {
            input: { name: form['name']!, label, type, ...(description && { description }) },
          }));
      await onSaved();
      onClose();
    });
  };
  return (
    <Dialog title={property ? `Property “${property.name}”` : 'Add a property'} onClose={onClose}>
      <form onSubmit={onSubmit}>
        {!property && (
          <Field
            label="Name"
            hint="As the API and files have it. It cannot be changed."
            error={errorOf('name')}
          >
            <input
              name="name"
              required
              placeholder="city"
              autoComplete="off"
              spellCheck={false}
              autoFocus
            />
          </Field>
        )}
        <Field label="Label" hint="As people read it." error={errorOf('label')}>
          <input name="label" required defaultValue={property?.label} autoComplete="off" />
        </Field>
        <Field
          label="Type"
          hint={
            property
              ? 'Changed only if the values of all contacts can be read as it.'
              : 'What the values of contacts must be.'
          }
          error={errorOf('type')}
        >
          <select name="type" defaultValue={property?.type ?? 'STRING'}>
            {Object.entries(types).map(([type, label]) => (
              <option key={type} value={type}>
                {label}
              </option>
            ))}
          </select>
        </Field>
        <Field label="Description" error={errorOf('description')}>
          <textarea name="description" rows={2} defaultValue={property?.description ?? ''} />
        </Field>
        <FormEnd action="Save property" failure={failure} isBusy={isBusy} onClose={onClose} />
      </form>
    </Dialog>
  );
}
