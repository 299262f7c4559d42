import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Pencil, Plus, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { request } from '../../data/graphql.js';
import { Button, IconButton } from '../../parts/button.js';
import { Confirm } from '../../parts/confirm.js';
import { Notice } from '../../parts/notice.js';
import { PropertyDialog, typeLabels } from './property-dialog.js';
import { Section } from './section.js';
import styles from './settings.module.css';
import {
  DeleteProperty,
  Properties as PropertiesDocument,
  type PropertyRowFragment,
} from './settings.graphql.js';

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
              <code>{property.name}</code> <span>{typeLabels[property.type].toLowerCase()}</span>
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
        <PropertyDialog property={open.edit} onClose={close} onSaved={changed} />
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
