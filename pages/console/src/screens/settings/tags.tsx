import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Pencil, Trash2 } from 'lucide-react';
import { useState, type FormEvent } from 'react';
import { useAction, type Action } from '../../data/follow-action.js';
import { newKey, request } from '../../data/graphql.js';
import { rest } from '../../data/rest.js';
import { useSubmit } from '../../data/submit.js';
import { Button, IconButton } from '../../parts/button.js';
import { Dialog, DialogButtons } from '../../parts/dialog.js';
import { Field } from '../../parts/field.js';
import { Notice } from '../../parts/notice.js';
import { Progress } from '../../parts/progress.js';
import { Section } from './section.js';
import styles from './settings.module.css';
import { Tags as TagsDocument, type TagsQuery } from './settings.graphql.js';

type Tag = NonNullable<TagsQuery['tags']>['nodes'][number];

interface Open {
  tag: Tag;
  change: 'rename' | 'delete';
}

/** The tags that contacts have. */
export function Tags() {
  const [prefix, setPrefix] = useState('');
  const [open, setOpen] = useState<Open>();
  const client = useQueryClient();
  const { data, error } = useQuery({
    queryKey: ['tags', prefix],
    queryFn: ({ signal }) => request(TagsDocument, { prefix: prefix || null }, signal),
    placeholderData: (former) => former,
  });
  const tags = data?.tags?.nodes;
  return (
    <Section
      title="Tags"
      about="Tags that contacts have. To rename or delete one changes all contacts that have it."
    >
      <Field label="Find a tag" hint="By how it begins, in the same case.">
        <input
          value={prefix}
          maxLength={64}
          autoComplete="off"
          spellCheck={false}
          onChange={({ target }) => setPrefix(target.value)}
        />
      </Field>
      {error && <Notice kind="bad">{error.message}</Notice>}
      {tags?.length === 0 && (
        <p className={styles.none}>
          {prefix ? 'No tag begins with this.' : 'No contact has a tag yet.'}
        </p>
      )}
      <ul className={styles.properties}>
        {tags?.map((tag) => (
          <li key={tag.name}>
            <div>
              <strong>
                <bdi>{tag.name}</bdi>
              </strong>{' '}
              {countOf(tag.contacts)}
            </div>
            <IconButton
              label={`Rename ${tag.name}`}
              icon={<Pencil size={16} aria-hidden />}
              onClick={() => setOpen({ tag, change: 'rename' })}
            />
            <IconButton
              label={`Delete ${tag.name}`}
              icon={<Trash2 size={16} aria-hidden />}
              onClick={() => setOpen({ tag, change: 'delete' })}
            />
          </li>
        ))}
      </ul>
      {data?.tags?.pageInfo.hasNextPage && (
        <p className={styles.none}>There are more: find them by how they begin.</p>
      )}
      {open && (
        <ChangeDialog
          {...open}
          onClose={() => {
            setOpen(undefined);
            void client.invalidateQueries({ queryKey: ['tags'] });
          }}
        />
      )}
    </Section>
  );
}

/** Says how many contacts are changed, and then how far that is. Closed, it goes on. */
function ChangeDialog({ tag, change, onClose }: Open & { onClose: () => void }) {
  const [key, setKey] = useState(newKey);
  const [action, setAction] = useState<Action>();
  const [submit, { isBusy, errorOf, failure }] = useSubmit(['name']);
  const act = useAction();
  const isRename = change === 'rename';
  const onSubmit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const name = (new FormData(event.currentTarget).get('name') as string | null)?.trim();
    const path = `/v1/tags/${encodeURIComponent(tag.name)}`;
    void submit(() =>
      act(
        (signal) =>
          isRename
            ? rest('PUT', path, { body: { name }, idempotencyKey: key, signal })
            : rest('DELETE', path, { idempotencyKey: key, signal }),
        setAction,
      ),
    );
  };
  const hasEnded = action !== undefined && action.endedAt !== null;
  const contacts = countOf(tag.contacts);
  return (
    <Dialog
      title={isRename ? `Rename the tag “${tag.name}”` : `Delete the tag “${tag.name}”?`}
      onClose={onClose}
    >
      <form onSubmit={onSubmit}>
        {isRename && (
          <Field
            label="New name"
            hint="If contacts have a tag of this name already, both become one."
            error={errorOf('name')}
          >
            <input
              name="name"
              required
              maxLength={64}
              defaultValue={tag.name}
              readOnly={action !== undefined}
              // Another name is another request.
              onChange={() => setKey(newKey())}
              autoComplete="off"
              spellCheck={false}
              autoFocus
            />
          </Field>
        )}
        {!action && (
          <p>
            {isRename
              ? `It is renamed in ${contacts}.`
              : `It is removed from ${contacts}. This cannot be undone.`}
          </p>
        )}
        {action && !hasEnded && (
          <Progress label="Contacts" done={action.changed} total={tag.contacts} unit="contacts" />
        )}
        {hasEnded && (
          <Notice kind={action.status === 'completed' && action.failed === 0 ? 'info' : 'warn'}>
            {action.reason ?? (action.status === 'cancelled' ? 'Cancelled. ' : '')}
            {`${countOf(action.changed)} changed.`}
            {action.failed > 0 && ` ${action.failed.toLocaleString()} refused.`}
          </Notice>
        )}
        {failure !== undefined && <Notice kind="bad">{failure}</Notice>}
        <DialogButtons>
          <Button onClick={onClose} autoFocus={!isRename}>
            {action ? 'Close' : 'Cancel'}
          </Button>
          {!action && (
            <Button type="submit" kind={isRename ? 'primary' : 'danger'} busy={isBusy}>
              {isRename ? 'Rename tag' : 'Delete tag'}
            </Button>
          )}
        </DialogButtons>
      </form>
    </Dialog>
  );
}

const countOf = (count: number): string =>
  `${count.toLocaleString()} ${count === 1 ? 'contact' : 'contacts'}`;
