import type { ReactNode } from 'react';
import { useTitle } from './title.js';
import styles from './page.module.css';

interface PageProps {
  /** Above the title: the way back. */
  above?: ReactNode;
  title: string;
  /** Below the title: what the screen shows, in numbers. */
  summary?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
}

/** A screen: its title, its actions, and its content. */
export function Page({ above, title, summary, actions, children }: PageProps) {
  useTitle(title);
  return (
    <div className={styles.page}>
      <header className={styles.head}>
        <div className={styles.titles}>
          {above}
          <h1>{title}</h1>
          <p className={styles.summary}>{summary ?? '\u00a0'}</p>
        </div>
        <div className={styles.actions}>{actions}</div>
      </header>
      {children}
    </div>
  );
}

/** What an empty list says: what would be here, and how to get it. */
export const Empty = ({ title, children }: { title: string; children?: ReactNode }) => (
  <div className={styles.empty}>
    <h2>{title}</h2>
    {children}
  </div>
);
