import type { ReactNode } from 'react';
import { classes } from './classes.js';
import styles from './filters.module.css';

/** Controls above a list. */
export const Filters = ({ children }: { children: ReactNode }) => (
  <div className={styles.filters}>{children}</div>
);

interface ChoiceProps {
  label: string;
  value: string;
  /** Values and their words; the first one does not restrict the list. */
  options: readonly (readonly [value: string, words: string])[];
  onChange: (value: string) => void;
}

/** One of several values, in a select. */
export const Choice = ({ label, value, options, onChange }: ChoiceProps) => (
  <select
    aria-label={label}
    className={classes(styles.choice, value !== options[0]?.[0] && styles.active)}
    value={value}
    onChange={({ target }) => onChange(target.value)}
  >
    {options.map(([one, words]) => (
      <option key={one} value={one}>
        {words}
      </option>
    ))}
  </select>
);

interface SegmentsProps {
  label: string;
  value: string;
  options: readonly { value: string; words: string; count?: string | undefined }[];
  onChange: (value: string) => void;
}

/** One of few values, side by side, with how many rows each has. */
export const Segments = ({ label, value, options, onChange }: SegmentsProps) => (
  <div className={styles.segments} role="group" aria-label={label}>
    {options.map((one) => (
      <button
        key={one.value}
        type="button"
        aria-pressed={one.value === value}
        onClick={() => onChange(one.value)}
      >
        {one.words}
        {one.count !== undefined && <span>{one.count}</span>}
      </button>
    ))}
  </div>
);
