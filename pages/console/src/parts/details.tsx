import type { ReactNode } from 'react';
import styles from './details.module.css';

/** Names and values below each other. Values that are undefined are left out. */
export const Details = ({ of }: { of: Record<string, ReactNode> }) => (
  <dl className={styles.details}>
    {Object.entries(of).map(
      ([name, value]) =>
        value !== undefined && (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ),
    )}
  </dl>
);
