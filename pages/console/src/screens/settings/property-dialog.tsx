import { useState, type FormEvent } from 'react';
import { Link } from 'wouter';
import { request } from '../../data/graphql.js';
import { useSubmit } from '../../data/submit.js';
import { Dialog, FormEnd } from '../../parts/dialog.js';
import { Field } from '../../parts/field.js';
import { Notice } from '../../parts/notice.js';
import {
  CreateProperty,
  UpdateProperty,
  type ContactPropertyType,
  type PropertyRowFragment,
  type UpdatePropertyMutation,
} from './settings.graphql.js';

export const typeLabels: Record<ContactPropertyType, string> = {
  STRING: 'Text',
  NUMBER: 'Number',
  BOOLEAN: 'True or false',
  DATE: 'Date',
};

interface PropertyDialogProps {
  /** Undefined to define one. */
  property: PropertyRowFragment | undefined;
  onClose: () => void;
  onSaved: () => Promise<void>;
}

/** Another type is tried first: what it would do is shown before it is done. */
export function PropertyDialog({ property, onClose, onSaved }: PropertyDialogProps) {
  const [type, setType] = useState(property?.type ?? 'STRING');
  const [tried, setTried] = useState<TypeChange>();
  const [submit, { isBusy, errorOf, failure }] = useSubmit([
    'name',
    'label',
    'description',
    'type',
  ]);
  const isRetyped = property !== undefined && type !== property.type;
  const mustTry = isRetyped && (tried === undefined || tried.refusal !== null);
  const onSubmit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = Object.fromEntries(new FormData(event.currentTarget)) as Record<string, string>;
    const { label, description } = { label: form['label']!, description: form['description']! };
    void submit(async () => {
      if (mustTry) {
        const input = { id: property.id, type, dryRun: true };
        const { updateContactProperty } = await request(UpdateProperty, { input });
        return setTried(updateContactProperty.propertyTypeChange ?? noValues);
      }
      await (property
        ? request(UpdateProperty, {
            input: { id: property.id, label, description, ...(isRetyped && { type }) },
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
          <select
            value={type}
            onChange={({ target }) => {
              setType(target.value as ContactPropertyType);
              setTried(undefined);
            }}
          >
            {Object.entries(typeLabels).map(([one, label]) => (
              <option key={one} value={one}>
                {label}
              </option>
            ))}
          </select>
        </Field>
        <Field label="Description" error={errorOf('description')}>
          <textarea name="description" rows={2} defaultValue={property?.description ?? ''} />
        </Field>
        {tried && <TypeChangeNotice change={tried} type={typeLabels[type]} />}
        <FormEnd
          action={actionOf(isRetyped, mustTry, tried)}
          failure={failure}
          isBusy={isBusy}
          onClose={onClose}
        />
      </form>
    </Dialog>
  );
}

function actionOf(isRetyped: boolean, mustTry: boolean, tried: TypeChange | undefined): string {
  if (!isRetyped) return 'Save property';
  if (!mustTry) return 'Change type';
  return tried ? 'Check again' : 'Check values';
}

type TypeChange = NonNullable<
  UpdatePropertyMutation['updateContactProperty']['propertyTypeChange']
>;

const noValues: TypeChange = {
  ...{ values: 0, converted: 0, contradicting: 0, contacts: [] },
  refusal: null,
};

/** What another type does to the values of contacts, and which contacts prevent it. */
function TypeChangeNotice({ change, type }: { change: TypeChange; type: string }) {
  const { values, converted, contradicting, contacts, refusal } = change;
  if (values === 0) return <Notice>No contact has a value of this property.</Notice>;
  if (contradicting === 0 && refusal !== null) return <Notice kind="warn">{refusal}</Notice>;
  if (contradicting === 0)
    return (
      <Notice>
        {`${countOf(values, 'value')} can be read as the type “${type}”. `}
        {converted === 0
          ? 'None is written in another form.'
          : `${converted.toLocaleString()} of them ${converted === 1 ? 'is' : 'are'} written in another form, each as a change of its contact.`}
      </Notice>
    );
  return (
    <Notice kind="warn">
      {`${contradicting.toLocaleString()} of ${countOf(values, 'value')} cannot be read as the type “${type}”. Correct them first, such as those of these contacts:`}
      <ul>
        {contacts.map((id) => (
          <li key={id}>
            <Link href={`/contacts/${id}`}>{id}</Link>
          </li>
        ))}
      </ul>
    </Notice>
  );
}

const countOf = (count: number, one: string): string =>
  `${count.toLocaleString()} ${count === 1 ? one : `${one}s`}`;
