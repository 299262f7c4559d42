import { Download, MailX, Tag, Trash2, X } from 'lucide-react';
import { useId, useRef, useState, type FormEvent } from 'react';
import { Button, IconButton } from '../../parts/button.js';
import { Dialog, DialogButtons } from '../../parts/dialog.js';
import { Field } from '../../parts/field.js';
import { Notice } from '../../parts/notice.js';
import { Progress } from '../../parts/progress.js';
import {
  changeTags,
  deleteAll,
  runBulk,
  unsubscribeAll,
  type BulkAction,
  type BulkProgress,
} from './bulk.js';
import { tagsIn } from './contact.js';
import type { Row } from './contact.js';
import styles from './selection-bar.module.css';
import { TagOptions } from './options.js';

interface SelectionBarProps {
  rows: readonly Row[];
  onExport: () => void;
  onClear: () => void;
}

interface Choice {
  /** The verb of the button. */
  label: string;
  /** What it says when it was done: "{done} 12 contacts". */
  done: string;
  isTag?: boolean;
  actionOf: (tags: readonly string[]) => BulkAction;
}

const choices = {
  add: {
    label: 'Add tag',
    done: 'Added the tag to',
    isTag: true,
    actionOf: (addTags) => changeTags({ addTags }),
  },
  remove: {
    label: 'Remove tag',
    done: 'Removed the tag from',
    isTag: true,
    actionOf: (removeTags) => changeTags({ removeTags }),
  },
  unsubscribe: { label: 'Unsubscribe', done: 'Unsubscribed', actionOf: () => unsubscribeAll },
  delete: { label: 'Delete', done: 'Deleted', actionOf: () => deleteAll },
} satisfies Record<string, Choice>;

/** What can be done with the rows that are selected. */
export function SelectionBar({ rows, onExport, onClear }: SelectionBarProps) {
  const [chosen, setChosen] = useState<keyof typeof choices>();
  const button = (key: keyof typeof choices, Icon: typeof Tag) => (
    <Button
      kind={key === 'delete' ? 'danger' : 'plain'}
      icon={<Icon size={16} aria-hidden />}
      onClick={() => setChosen(key)}
    >
      {choices[key].label}
    </Button>
  );
  return (
    <>
      <section className={styles.bar} aria-label="Selection">
        <strong role="status">{rows.length.toLocaleString()} selected</strong>
        <div className={styles.actions}>
          {button('add', Tag)}
          {button('remove', Tag)}
          {button('unsubscribe', MailX)}
          <Button icon={<Download size={16} aria-hidden />} onClick={onExport}>
            Export
          </Button>
          {button('delete', Trash2)}
        </div>
        <IconButton
          label="Clear the selection"
          icon={<X size={17} aria-hidden />}
          onClick={onClear}
        />
      </section>
      {chosen && (
        <Bulk
          // What is selected when the dialog opens: rows may be deleted by it.
          rows={rows}
          choice={choices[chosen]}
          isDeletion={chosen === 'delete'}
          onClose={(isDone) => {
            setChosen(undefined);
            if (isDone) onClear();
          }}
        />
      )}
    </>
  );
}

interface BulkProps {
  rows: readonly Row[];
  choice: Choice;
  isDeletion: boolean;
  onClose: (isDone: boolean) => void;
}

function Bulk({ rows, choice, isDeletion, onClose }: BulkProps) {
  const [selected] = useState(rows);
  const options = useId();
  const [text, setText] = useState('');
  const [progress, setProgress] = useState<BulkProgress>();
  const [status, setStatus] = useState<'asking' | 'running' | 'stopped' | 'done'>('asking');
  const [failure, setFailure] = useState<string>();
  const remaining = useRef<readonly Row[]>(rows);
  const before = useRef<BulkProgress>({ done: 0, total: rows.length, refusals: [] });
  const abort = useRef<AbortController>(undefined);
  const tags = tagsIn(text);

  const run = async () => {
    setStatus('running');
    setFailure(undefined);
    abort.current = new AbortController();
    const { total, refusals } = before.current;
    try {
      await runBulk(remaining.current, choice.actionOf(tags), abort.current.signal, (now, rest) => {
        remaining.current = rest;
        before.current = {
          done: total - rest.length,
          total,
          refusals: [...refusals, ...now.refusals],
        };
        setProgress(before.current);
      });
      setStatus('done');
    } catch (error) {
      setStatus('stopped');
      if (!abort.current.signal.aborted) setFailure((error as Error).message);
    }
  };
  const close = () => {
    abort.current?.abort();
    onClose(status === 'done');
  };
  const refused = progress?.refusals ?? [];
  const title = `${choice.label}${isDeletion ? '' : ':'} ${countOf(selected.length)}`;
  return (
    <Dialog title={title} onClose={close}>
      <form
        onSubmit={(event: FormEvent) => {
          event.preventDefault();
          if (choice.isTag && tags.length === 0) return;
          if (status === 'asking' || status === 'stopped') void run();
        }}
      >
        {choice.isTag && (
          <Field label="Tag" hint="Several are separated by commas.">
            <input
              list={options}
              autoComplete="off"
              required
              readOnly={status !== 'asking'}
              value={text}
              onChange={({ target }) => setText(target.value)}
            />
          </Field>
        )}
        {choice.isTag && <TagOptions id={options} typed={text} />}
        {status === 'asking' && !choice.isTag && (
          <>
            <ul className={styles.names}>
              {selected.slice(0, namedMax).map(({ id, name, email }) => (
                <li key={id}>
                  <bdi>{name || email}</bdi>
                  {name && (
                    <>
                      {' '}
                      <bdi className={styles.quiet}>{email}</bdi>
                    </>
                  )}
                </li>
              ))}
              {selected.length > namedMax && (
                <li>and {(selected.length - namedMax).toLocaleString()} others</li>
              )}
            </ul>
            {isDeletion && <p>This cannot be undone.</p>}
          </>
        )}
        {status !== 'asking' && (
          <Progress
            label={choice.label}
            done={progress?.done ?? 0}
            total={selected.length}
            unit="contacts"
          />
        )}
        {status === 'done' && (
          <Notice kind={refused.length > 0 ? 'warn' : 'info'}>
            {choice.done} {countOf(selected.length - refused.length)}.
            {refused.length > 0 && ` Refused: ${refused.length.toLocaleString()}.`}
          </Notice>
        )}
        {status === 'stopped' && (
          <Notice kind={failure === undefined ? 'info' : 'bad'}>
            {failure ?? 'Stopped.'} {remaining.current.length.toLocaleString()} are left as they
            were.
          </Notice>
        )}
        {refused.length > 0 && (
          <ul className={styles.refused}>
            {refused.slice(0, 100).map(({ row, reason }) => (
              <li key={row.id}>
                <bdi>{row.email}</bdi> {reason}
              </li>
            ))}
          </ul>
        )}
        <DialogButtons>
          {status === 'running' && <Button onClick={() => abort.current?.abort()}>Stop</Button>}
          {status === 'done' && (
            <Button kind="primary" onClick={close}>
              Close
            </Button>
          )}
          {(status === 'asking' || status === 'stopped') && (
            <>
              <Button onClick={close}>{status === 'asking' ? 'Cancel' : 'Close'}</Button>
              <Button type="submit" kind={isDeletion ? 'danger' : 'primary'}>
                {status === 'stopped' ? 'Continue' : choice.label}
              </Button>
            </>
          )}
        </DialogButtons>
      </form>
    </Dialog>
  );
}

const countOf = (count: number): string =>
  `${count.toLocaleString()} ${count === 1 ? 'contact' : 'contacts'}`;

const namedMax = 5;
