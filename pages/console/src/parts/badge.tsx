import type { ReactNode } from 'react';
import { classes } from './classes.js';
import styles from './badge.module.css';

/** A short word that stands out: only for what is an exception, so that lists stay quiet. */
export const Badge = ({
  kind = 'plain',
  children,
}: {
  kind?: 'plain' | 'good' | 'warn' | 'bad';
  children: ReactNode;
}) => <span className={classes(styles.badge, styles[kind])}>{children}</span>;
