import styles from './progress.module.css';

interface ProgressProps {
  label: string;
  done: number;
  /** Undefined if it is not known. */
  total: number | undefined;
  unit: string;
}

/** How much of something is done, as a bar and in words. */
export const Progress = ({ label, done, total, unit }: ProgressProps) => (
  <div className={styles.progress}>
    <progress aria-label={label} max={total ?? 1} value={total === undefined ? undefined : done} />
    <span>
      {done.toLocaleString()}
      {total !== undefined && ` of ${total.toLocaleString()}`} {unit}
    </span>
  </div>
);
