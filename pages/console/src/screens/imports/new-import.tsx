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
import { mapOf, proposedMapping, type Target } from './mapping.js';
import styles from './new-import.module.css';
import { fields, isNdjson, readCsvStart, readLines, type CsvStart } from './read-csv.js';
import { upload, type UploadSettings } from './upload.js';

interface NewImportProps {
  file: File;
  onCreated: (id: string) => void;
  onClose: () => void;
}

const rowsShown = 5;
const bytesMax = 1024 ** 3;

/** Maps the columns of a file, and sends it. */
export function NewImport({ file, onCreated, onClose }: NewImportProps) {
  const [csv, setCsv] = useState<CsvStart>();
  const [lines, setLines] = useState<string[]>();
  const { properties } = useProperties();
  const [chosen, setTargets] = useState<Target[]>();
  const targets = useMemo(
    () =>
      chosen ??
      proposedMapping(
        csv?.columns ?? [],
        properties.map(({ name }) => name),
      ),
    [chosen, csv, properties],
  );
  const [sent, setSent] = useState<number>();
  const [problem, setProblem] = useState<Problem>();
  const abort = useRef<AbortController>(undefined);
  const intent = useRef({ input: '', key: '' });
  useEffect(() => {
    const read = async () => {
      if (await isNdjson(file)) return setLines(await readLines(file, rowsShown));
      const start = await readCsvStart(file, rowsShown);
      return setCsv(start ?? { delimiter: ',', columns: [], rows: [] });
    };
    void read();
    return () => abort.current?.abort();
  }, [file]);

  const send = async (form: FormData) => {
    const settings: UploadSettings = {
      fileName: file.name,
      format: lines ? 'ndjson' : 'csv',
      map: csv ? mapOf(csv.columns, targets) : [],
      delimiter: csv && csv.columns.length > 0 ? csv.delimiter : undefined,
      mode: form.get('mode') as UploadSettings['mode'],
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
    const found = problem?.errors.find((one) => one.pointer === pointer);
    return found && sentence(found.message);
  };
  const isSending = sent !== undefined;
  const hasEmail = !csv || targets.includes('email');
  const isTooLarge = file.size > bytesMax;
  return (
    <Dialog title={`Import ${file.name}`} onClose={onClose} isWide>
      <form
        onSubmit={(event: FormEvent<HTMLFormElement>) => {
          event.preventDefault();
          if (!isSending && hasEmail && !isTooLarge) void send(new FormData(event.currentTarget));
        }}
      >
        {csv && <Mapping csv={csv} targets={targets} onChange={setTargets} errorOf={errorOf} />}
        {csv && targets.includes('tags') && <p>Tags in a cell are separated by semicolons.</p>}
        {lines && (
          <>
            <p>One contact per line, with its fields as in the API:</p>
            <pre className={styles.lines} tabIndex={0}>
              {lines.join('\n')}
            </pre>
          </>
        )}
        <div className={styles.settings}>
          <Field label="Contacts that exist">
            <select name="mode" defaultValue="upsert">
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
        {csv && !hasEmail && <Notice kind="warn">Choose the column of the email addresses.</Notice>}
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
              <Button type="submit" kind="primary" disabled={!hasEmail || isTooLarge}>
                Import
              </Button>
            </>
          )}
        </DialogButtons>
      </form>
    </Dialog>
  );
}

interface MappingProps {
  csv: CsvStart;
  targets: readonly Target[];
  onChange: (targets: Target[]) => void;
  errorOf: (column: string) => string | undefined;
}

const labels: Record<string, string> = {
  email: 'Address',
  name: 'Name',
  tags: 'Tags',
  status: 'Status',
};

const prefix = 'properties.';

/** A line for each column: its name and first values, and what becomes of it. */
function Mapping({ csv, targets, onChange, errorOf }: MappingProps) {
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
          {csv.columns.map((name, at) => {
            const target = targets[at] ?? '';
            const isProperty = target.startsWith(prefix);
            const values = csv.rows.map((row) => row[at] ?? '').filter((value) => value !== '');
            const error = errorOf(name);
            return (
              <tr key={`${at} ${name}`}>
                <th scope="row">
                  <bdi>{name || '(no name)'}</bdi>
                  <bdi className={styles.values}>{values.slice(0, 3).join(', ')}</bdi>
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

const slugOf = (name: string): string => {
  const [target] = proposedMapping([`x ${name}`], []);
  return target!.slice(`${prefix}x_`.length) || 'property';
};
