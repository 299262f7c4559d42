import { Check, X } from 'lucide-react';
import { useEffect, useId, useRef, useState, type HTMLAttributes } from 'react';
import { isTemporary, Problem } from '../data/problem.js';
import { Button, IconButton } from './button.js';
import styles from './edit-field.module.css';
import { toast } from './toasts.js';

interface EditFieldProps {
  label: string;
  value: string;
  /**
   * Stores a text if the value is still `base`.
   *
   * @throws Conflict if it is neither; Problem
   */
  save: (text: string, base: string) => Promise<void>;
  /** The field in problems of the API: `email`, `properties/city`. */
  field: string;
  placeholder?: string;
  inputMode?: HTMLAttributes<HTMLElement>['inputMode'];
  type?: 'date';
  /** The values that there are: one that is chosen is saved at once. */
  choices?: readonly string[] | undefined;
  onRemove?: () => unknown;
}

/** A value was changed by somebody else while the reader edited it. */
export class Conflict extends Error {
  override readonly name = 'Conflict';
  constructor() {
    super('It was changed meanwhile.');
  }
}

/** A value that is edited where it stands: Enter or leaving it saves it, Esc takes it back. What was refused stays as it was typed. */
export function EditField(props: EditFieldProps) {
  const { label, value, save, field, placeholder, inputMode, type, choices, onRemove } = props;
  const id = useId();
  const [draft, setDraft] = useState<string>();
  const [base, setBase] = useState(value);
  const [status, setStatus] = useState<'saving' | 'saved'>();
  const [problem, setProblem] = useState<Problem>();
  const refused = useRef<string>(undefined);
  const isMounted = useRef(true);
  useEffect(() => {
    isMounted.current = true;
    return () => {
      isMounted.current = false;
    };
  }, []);
  useEffect(() => {
    if (status !== 'saved') return undefined;
    const timer = setTimeout(() => setStatus(undefined), 2000);
    return () => clearTimeout(timer);
  }, [status]);

  const isConflict = draft !== undefined && value !== base && draft !== value;
  const takeBack = () => {
    setDraft(undefined);
    setProblem(undefined);
    refused.current = undefined;
  };
  const store = async (text: string, from: string) => {
    setStatus('saving');
    setProblem(undefined);
    try {
      await save(text, from);
      setStatus('saved');
      setDraft((now) => (now === text ? undefined : now));
      setBase(text);
    } catch (error) {
      setStatus(undefined);
      if (error instanceof Conflict && isMounted.current) return;
      const found =
        error instanceof Problem ? error : new Problem({ detail: (error as Error).message });
      if (!isTemporary(found)) refused.current = text;
      setProblem(found);
      if (!isMounted.current)
        toast(`${label} “${text}” was not saved: ${found.message}`, { kind: 'bad' });
    }
  };
  const leave = () => {
    if (draft === undefined || status === 'saving' || isConflict) return;
    if (draft === value) takeBack();
    else if (draft !== refused.current) void store(draft, base);
  };
  const error = problem && (problem.of(field) ?? problem.message);
  const control = {
    id,
    className: styles.control,
    'aria-invalid': error !== undefined || undefined,
    'aria-describedby': error || isConflict ? `${id}-note` : undefined,
    value: draft ?? value,
  };
  return (
    <div className={styles.field}>
      <div className={styles.head}>
        <label htmlFor={id}>{label}</label>
        <span role="status" className={styles.status}>
          {status === 'saving' && 'Saving…'}
          {status === 'saved' && (
            <>
              <Check size={14} aria-hidden /> Saved
            </>
          )}
        </span>
      </div>
      <div className={styles.line}>
        {choices ? (
          <select
            {...control}
            onChange={({ target }) => {
              if (draft === undefined) setBase(value);
              setDraft(target.value);
              void store(target.value, draft === undefined ? value : base);
            }}
          >
            {(choices.includes(value) ? choices : [value, ...choices]).map((one) => (
              <option key={one}>{one}</option>
            ))}
          </select>
        ) : (
          <input
            {...control}
            dir="auto"
            autoComplete="off"
            inputMode={inputMode}
            type={type}
            placeholder={placeholder}
            onChange={({ target }) => {
              if (draft === undefined) setBase(value);
              setDraft(target.value);
            }}
            onBlur={leave}
            onKeyDown={(press) => {
              if (press.key === 'Enter') {
                refused.current = undefined;
                leave();
              }
              if (press.key !== 'Escape' || draft === undefined) return;
              press.stopPropagation();
              takeBack();
            }}
          />
        )}
        {onRemove && (
          <IconButton
            label={`Remove ${label}`}
            icon={<X size={15} aria-hidden />}
            onClick={onRemove}
          />
        )}
      </div>
      {isConflict ? (
        <div id={`${id}-note`} className={styles.conflict} role="alert">
          <p>Changed meanwhile to {value === '' ? 'nothing' : <bdi>“{value}”</bdi>}.</p>
          <Button onClick={() => void store(draft, value)}>Save mine</Button>
          <Button onClick={takeBack}>Take theirs</Button>
        </div>
      ) : (
        error !== undefined && (
          <p id={`${id}-note`} className={styles.error} role="alert">
            {error}{' '}
            {isTemporary(problem) && draft !== undefined && (
              <button type="button" onClick={() => void store(draft, base)}>
                Save again
              </button>
            )}
          </p>
        )
      )}
    </div>
  );
}
