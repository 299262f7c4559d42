import { useRef, useState, type FormEvent } from 'react';
import { actionsPath, useAction, type Action } from '../../data/follow-action.js';
import { newKey } from '../../data/graphql.js';
import { rest } from '../../data/rest.js';
import { useSubmit } from '../../data/submit.js';
import { Button } from '../../parts/button.js';
import { Dialog, DialogButtons } from '../../parts/dialog.js';
import { Field } from '../../parts/field.js';
import { Notice } from '../../parts/notice.js';
import { Progress } from '../../parts/progress.js';
import { tagsIn } from './contact.js';
import type { ContactFilter } from './contacts.graphql.js';

interface ChangeAllProps {
  /** Undefined for all contacts. */
  filter: ContactFilter | undefined;
  /** @param hasChanged whether contacts were changed or deleted */
  onClose: (hasChanged: boolean) => void;
}

const changes = {
  addTags: { label: 'Add tags', isTag: true },
  removeTags: { label: 'Remove tags', isTag: true },
  unsubscribe: { label: 'Unsubscribe', isTag: false },
  delete: { label: 'Delete', isTag: false },
} as const;
type Kind = keyof typeof changes;

function changeOf(kind: Kind, tags: readonly string[]): object {
  if (changes[kind].isTag) return { [kind]: tags };
  return kind === 'delete' ? { delete: true } : { status: 'unsubscribed' };
}

/** As REST takes it. */
const filterOf = (filter: ContactFilter = {}): object => ({
  ...filter,
  ...(filter.status && { status: filter.status.toLowerCase() }),
});

/** Changes or deletes all contacts that match, after a dry run that counts them. */
export function ChangeAll({ filter, onClose }: ChangeAllProps) {
  const [kind, setKind] = useState<Kind>('addTags');
  const [text, setText] = useState('');
  const [key, setKey] = useState(newKey);
  const [counted, setCounted] = useState<Action>();
  const [action, setAction] = useState<Action>();
  const [submit, { isBusy, failure }] = useSubmit();
  const act = useAction();
  const shown = useRef<Action>(undefined);
  const tags = tagsIn(text);
  const { label, isTag } = changes[kind];

  const start = (dryRun: boolean, show: (action: Action) => void) => {
    const body = { filter: filterOf(filter), change: changeOf(kind, tags), dryRun };
    return act(
      (signal) => rest('POST', actionsPath, { body, idempotencyKey: `${key}-${dryRun}`, signal }),
      (now) => {
        shown.current = now;
        show(now);
        if (now.endedAt !== null) setKey(newKey());
      },
    );
  };
  const cancel = () =>
    void rest('POST', `${actionsPath}/${shown.current!.id}/cancel`).catch(() => undefined);
  const close = () => onClose((action?.changed ?? 0) > 0);
  const edit = (change: () => void) => {
    change();
    setCounted(undefined);
    setKey(newKey());
  };
  const isCounted = counted?.status === 'completed';
  return (
    <Dialog title="Change all contacts that match" onClose={close}>
      <form
        onSubmit={(event: FormEvent) => {
          event.preventDefault();
          if (isBusy || action || (isTag && tags.length === 0)) return;
          void submit(() => (isCounted ? start(false, setAction) : start(true, setCounted)));
        }}
      >
        <Field label="Change">
          <select
            value={kind}
            disabled={isBusy || action !== undefined}
            onChange={({ target }) => edit(() => setKind(target.value as Kind))}
          >
            {Object.entries(changes).map(([name, one]) => (
              <option key={name} value={name}>
                {one.label}
              </option>
            ))}
          </select>
        </Field>
        {isTag && (
          <Field label="Tag" hint="Several are separated by commas.">
            <input
              autoComplete="off"
              required
              readOnly={isBusy || action !== undefined}
              value={text}
              onChange={({ target }) => edit(() => setText(target.value))}
            />
          </Field>
        )}
        {isCounted && !action && (
          <Notice kind={kind === 'delete' ? 'warn' : 'info'}>
            {sentenceOf(counted, 'would be')}
            {kind === 'delete' && ' This cannot be undone.'}
          </Notice>
        )}
        {isBusy && (
          <Progress
            label={action ? label : 'Counting'}
            done={(action ?? counted)?.examined ?? 0}
            total={(action ?? counted)?.total}
            unit="contacts examined"
          />
        )}
        {action && action.endedAt !== null && (
          <Notice kind={action.status === 'completed' && action.failed === 0 ? 'info' : 'warn'}>
            {action.reason ?? (action.status === 'cancelled' ? 'Cancelled. ' : '')}
            {sentenceOf(action, 'were')}
          </Notice>
        )}
        {action && action.failures.length > 0 && (
          <ul>
            {action.failures.map(({ contactId, message }) => (
              <li key={contactId}>
                <code>{contactId}</code> {message}
              </li>
            ))}
          </ul>
        )}
        {failure !== undefined && <Notice kind="bad">{failure}</Notice>}
        <DialogButtons>
          {isBusy && (action ?? counted) && <Button onClick={cancel}>Stop</Button>}
          {!isBusy && <Button onClick={close}>{action ? 'Close' : 'Cancel'}</Button>}
          {!action && (
            <Button
              type="submit"
              kind={isCounted && kind === 'delete' ? 'danger' : 'primary'}
              busy={isBusy}
            >
              {isCounted ? label : 'Count'}
            </Button>
          )}
        </DialogButtons>
      </form>
    </Dialog>
  );
}

function sentenceOf({ matched, changed, unchanged, failed }: Action, verb: string): string {
  const parts = [
    `${countOf(matched)} matched.`,
    `${changed.toLocaleString()} ${verb} changed.`,
    unchanged > 0 && `${unchanged.toLocaleString()} are so already.`,
    failed > 0 && `${failed.toLocaleString()} ${verb} refused.`,
  ];
  return parts.filter(Boolean).join(' ');
}

const countOf = (count: number): string =>
  `${count.toLocaleString()} ${count === 1 ? 'contact' : 'contacts'}`;
