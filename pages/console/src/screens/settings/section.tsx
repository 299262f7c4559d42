import type { ReactNode } from 'react';
import styles from './settings.module.css';

interface SectionProps {
  title: string;
  about: ReactNode;
  action?: ReactNode;
  children?: ReactNode;
}

/** A group of settings under its own heading. */
export const Section = ({ title, about, action, children }: SectionProps) => (
  <section className={styles.section} aria-label={title}>
    <header className={styles.head}>
      <div>
        <h2>{title}</h2>
        <p>{about}</p>
      </div>
      {action}
    </header>
    {children}
  </section>
);
