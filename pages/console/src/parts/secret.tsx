import { Copy } from './copy.js';
import { Notice } from './notice.js';
import styles from './secret.module.css';

/** A secret that is shown once. */
export const Secret = ({ value, what }: { value: string; what: string }) => (
  <div className={styles.secret}>
    <Notice kind="warn">Copy the {what} now. It is not shown again.</Notice>
    <div className={styles.line}>
      <code>{value}</code>
      <Copy text={value} what={what} isWide />
    </div>
  </div>
);
