import { CircleAlert, Info, TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { classes } from './classes.js';
import styles from './notice.module.css';

const icons = { info: Info, warn: TriangleAlert, bad: CircleAlert };

/** A sentence that says what happened and what to do. */
export function Notice({
  kind = 'info',
  children,
}: {
  kind?: keyof typeof icons;
  children: ReactNode;
}) {
  const Icon = icons[kind];
  return (
    <div
      className={classes(styles.notice, styles[kind])}
      role={kind === 'bad' ? 'alert' : 'status'}
    >
      <Icon size={16} aria-hidden />
      <div>{children}</div>
    </div>
  );
}
