import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useRef, useState, type FormEvent } from 'react';
import { newKey } from '../../data/graphql.js';
import { isTemporary, sentence, type Problem } from '../../data/problem.js';
import { useProperties } from '../../data/properties.js';
import { Button } from '../../parts/button.js';
import { Dialog, DialogButtons } from '../../parts/dialog.js';
import { Field } from '../../parts/field.js';
import { Notice } from '../../parts/notice.js';
import { Progress } from '../../parts/progress.js';
import { holdFile } from './held-file.js';
import { fields, mapOf, propertyOf, proposedMapping, type Target } from './mapping.js';
import styles from './new-import.module.css';
import { readPreview, type Preview, type PreviewedColumn } from './preview.js';
import { upload, type UploadSettings } from './upload.js';

interface NewImportProps {
  file: File;
  onCreated: (id: string) => void;
  onClose: () => void;
}

const rowsShown = 5;
/** After the last key of the name of a property. */
const pauseMs = 400;
const unmapped: readonly string[] = [];
const bytesMax = 1024 ** 3;

/** Maps the columns of a file, and sends it. */
export function NewImport({ file, onCreated, onClose }: NewImportProps) {
  const [key] = useState(newKey);
  const [mode, setMode] = useState<UploadSettings['mode']>('upsert');
  const { data: start, error: unreadable } = usePreview(key, file, {
    map: unmapped,
    mode: 'upsert',
  });
  const columns = start?.columns;
  const { properties } = useProperties();
  const [chosen, setTargets] = useState<Target[]>();
  const targets = useMemo(
    () =>
      chosen ??
      proposedMapping(
        columns ?? [],
        properties.map(({ name }) => name),
      ),
    [chosen, columns, properties],
  );
  const map = useMemo(() => mapOf(columns ?? [], targets), [columns, targets]);
  const hasEmail = !columns || targets.includes('email');
  /** Whether rows name contacts: without addresses, only those that exist. */
  const isNamed = hasEmail || targets.includes('externalId');
  const settled = useSettled(JSON.stringify({ map, mode }));
  const tried = usePreview(
    key,
    file,
    JSON.parse(settled) as { map: string[]; mode: UploadSettings['mode'] },
    start !== undefined && isNamed,
  );
  const [sent, setSent] = useState<number>();
  const [problem, setProblem] = useState<Problem>();
  const abort = useRef<AbortController>(undefined);
  const intent = useRef({ input: '', key: '' });
  useEffect(() => () => abort.current?.abort(), []);

  const send = async (form: FormData) => {
    const settings: UploadSettings = {
      fileName: file.name,
      format: start!.format,
      map,
      delimiter: start!.delimiter,
      mode,
      events: form.get('events') as UploadSettings['events'],
      dryRun: form.get('dryRun') !== null,
    };
    const input = JSON.stringify(settings);
    const control = new AbortController();
    abort.current = control;
    setProblem(undefined);
    setSent(0);
    try {
      let isCut = intent.current.input === input;
      for (;;) {
        if (!isCut) intent.current = { input, key: newKey() };
        const created = await upload(file, settings, {
          idempotencyKey: intent.current.key,
          signal: control.signal,
          onProgress: setSent,
        });
        if (!isCut || created.status !== 'failed') {
          holdFile(created.id, file, settings);
          onCreated(created.id);
          return;
        }
        // The upload that was cut has failed, and changed nothing.
        isCut = false;
      }
    } catch (error) {
      // One that was cut may have arrived: it is sent again under its name.
      if (!isTemporary(error)) intent.current = { input: '', key: '' };
      setSent(undefined);
      if (!control.signal.aborted) setProblem(error as Problem);
    }
  };
  const errorOf = (name: string) => {
    const pointer = `/map/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    const errors = [problem, tried.data].flatMap((one) => one?.errors ?? []);
    const found = errors.find((one) => one.pointer === pointer);
    return found && sentence(found.message);
  };
  const isSending = sent !== undefined;
  const isTooLarge = file.size > bytesMax;
  return (
    <Dialog title={`Import ${file.name}`} onClose={onClose} isWide>
      <form
        onSubmit={(event: FormEvent<HTMLFormElement>) => {
          event.preventDefault();
          if (start && !isSending && isNamed && !isTooLarge)
            void send(new FormData(event.currentTarget));
        }}
      >
        {unreadable && <Notice kind="bad">{unreadable.message}</Notice>}
        {columns && (
          <Mapping columns={columns} targets={targets} onChange={setTargets} errorOf={errorOf} />
        )}
        {columns && targets.some((target) => /^(?:tags|addTags|removeTags)$/.test(target)) && (
          <p>Tags in a cell are separated by semicolons.</p>
        )}
        {start?.format === 'ndjson' && (
          <>
            <p>One contact per line, with its fields as in the API:</p>
            <pre className={styles.lines} tabIndex={0}>
              {start.rows
                .slice(0, rowsShown)
                .map(({ contact }) => JSON.stringify(contact))
                .join('\n')}
            </pre>
          </>
        )}
        {isNamed && tried.data && <RefusedRows rows={tried.data.rows} />}
        <div className={styles.settings}>
          <Field label="Contacts that exist">
            <select
              value={mode}
              onChange={({ target }) => setMode(target.value as UploadSettings['mode'])}
            >
              <option value="upsert">Update them</option>
              <option value="skip">Leave them as they are</option>
            </select>
          </Field>
          <Field label="Events">
            <select name="events" defaultValue="each">
              <option value="each">One for each contact</option>
              <option value="summary">Only one for the import</option>
            </select>
          </Field>
        </div>
        <label className={styles.check}>
          <input type="checkbox" name="dryRun" />
          <span>
            Dry run: check all rows and count what would happen, without changing contacts
          </span>
        </label>
        {isTooLarge && (
          <Notice kind="bad">A file has at most 1 GiB. Divide it into several.</Notice>
        )}
        {!isNamed && (
          <Notice kind="warn">
            Choose the column of the email addresses, or that of the external IDs of existing
            contacts.
          </Notice>
        )}
        {isNamed && !hasEmail && (
          <Notice kind="warn">
            Without email addresses, only contacts that exist are changed: rows with other external
            IDs are refused.
          </Notice>
        )}
        {problem && <Notice kind="bad">{problem.message}</Notice>}
        {isSending && (
          <Progress
            label="Upload"
            done={Math.round(sent / 1000)}
            total={Math.round(file.size / 1000)}
            unit={sent >= file.size ? 'kB: the rows are being stored' : 'kB'}
          />
        )}
        <DialogButtons>
          {isSending ? (
            <Button onClick={() => abort.current?.abort()}>Stop</Button>
          ) : (
            <>
              <Button onClick={onClose}>Cancel</Button>
              <Button type="submit" kind="primary" disabled={!start || !isNamed || isTooLarge}>
                Import
              </Button>
            </>
          )}
        </DialogButtons>
      </form>
    </Dialog>
  );
}

const usePreview = (
  key: string,
  file: File,
  settings: { map: readonly string[]; mode: UploadSettings['mode'] },
  enabled = true,
) =>
  useQuery({
    queryKey: ['import-preview', key, settings],
    queryFn: ({ signal }) => readPreview(file, settings, signal),
    enabled,
    placeholderData: keepPreviousData,
    refetchOnWindowFocus: false,
    gcTime: 0,
  });

/** The value, when it has not changed for a moment. */
function useSettled(value: string): string {
  const [settled, settle] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => settle(value), pauseMs);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}

/** Those of the first rows that the import would refuse, or apply with a notice. */
function RefusedRows({ rows }: Pick<Preview, 'rows'>) {
  const refused = rows.filter(({ errors }) => errors.length > 0);
  if (refused.length === 0) return null;
  return (
    <section aria-label="Rows with errors">
      <p>
        {refused.length} of the first {rows.length} rows {refused.length === 1 ? 'has' : 'have'}{' '}
        errors:
      </p>
      <ul>
        {refused.slice(0, rowsShown).map(({ row, errors }) => (
          <li key={row}>
            Row {row}:{' '}
            {errors
              .map(({ pointer, message }) => `${pointer.slice(1)} ${message}`.trim())
              .join('; ')}
          </li>
        ))}
      </ul>
    </section>
  );
}

interface MappingProps {
  columns: readonly PreviewedColumn[];
  targets: readonly Target[];
  onChange: (targets: Target[]) => void;
  errorOf: (column: string) => string | undefined;
}

const labels: Record<string, string> = {
  email: 'Address',
  name: 'Name',
  tags: 'Tags',
  addTags: 'Tags to add',
  removeTags: 'Tags to remove',
  status: 'Status',
  unsubscribed: 'Unsubscribed',
  externalId: 'External ID',
};

const prefix = 'properties.';

/** A line for each column: its name and first values, and what becomes of it. */
function Mapping({ columns, targets, onChange, errorOf }: MappingProps) {
  const set = (at: number, target: Target) => onChange(targets.with(at, target));
  return (
    <div className={styles.scroll} tabIndex={0} role="region" aria-label="Columns">
      <table className={styles.mapping}>
        <thead>
          <tr>
            <th scope="col">Column</th>
            <th scope="col">Becomes</th>
          </tr>
        </thead>
        <tbody>
          {columns.map(({ name, values }, at) => {
            const target = targets[at] ?? '';
            const isProperty = target.startsWith(prefix);
            const error = errorOf(name);
            return (
              <tr key={`${at} ${name}`}>
                <th scope="row">
                  <bdi>{name || '(no name)'}</bdi>
                  <bdi className={styles.values}>{values.join(', ')}</bdi>
                </th>
                <td>
                  <div className={styles.target}>
                    <select
                      aria-label={`${name} becomes`}
                      value={isProperty ? prefix : target}
                      onChange={({ target: { value } }) =>
                        set(at, value === prefix ? `${prefix}${slugOf(name)}` : value)
                      }
                    >
                      {fields.map((field) => (
                        <option key={field} value={field}>
                          {labels[field]}
                        </option>
                      ))}
                      <option value={prefix}>Property</option>
                      <option value="">Not imported</option>
                    </select>
                    {isProperty && (
                      <input
                        aria-label={`Property of ${name}`}
                        autoComplete="off"
                        maxLength={64}
                        required
                        value={target.slice(prefix.length)}
                        onChange={({ target: { value } }) => set(at, prefix + value.trim())}
                      />
                    )}
                  </div>
                  {error !== undefined && (
                    <p className={styles.error} role="alert">
                      {error}
                    </p>
                  )}
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

const slugOf = (name: string): string =>
  propertyOf(`x ${name}`)!.slice(`${prefix}x_`.length) || 'property';
