import { X } from 'lucide-react';
import { useEffect, useRef, type ReactNode } from 'react';
import { IconButton } from './button.js';
import { classes } from './classes.js';
import styles from './split.module.css';

interface SplitProps {
  list: ReactNode;
  panel?: ReactNode;
}

/** A list, and a panel beside it that leaves the list in reach; over the list on a small screen. */
export const Split = ({ list, panel }: SplitProps) => (
  <div className={classes(styles.split, panel !== undefined && panel !== null && styles.open)}>
    <div className={styles.list}>{list}</div>
    {panel}
  </div>
);

interface PanelProps {
  title: ReactNode;
  label: string;
  actions?: ReactNode;
  onClose: () => void;
  children: ReactNode;
}

/** Esc closes it, and the focus returns to where it was. */
export function Panel({ title, label, actions, onClose, children }: PanelProps) {
  const panel = useRef<HTMLElement>(null);
  useEffect(() => {
    const before = document.activeElement;
    panel.current?.focus({ preventScroll: true });
    return () => {
      if (before instanceof HTMLElement && before.isConnected)
        before.focus({ preventScroll: true });
    };
  }, []);
  useEffect(() => {
    const onKey = (press: KeyboardEvent) => {
      if (press.key === 'Escape' && !document.querySelector('dialog[open], :popover-open'))
        onClose();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  });
  return (
    <aside ref={panel} className={styles.panel} aria-label={label} tabIndex={-1}>
      <header className={styles.head}>
        <h2>{title}</h2>
        {actions}
        <IconButton label="Close" icon={<X size={18} aria-hidden />} onClick={onClose} />
      </header>
      <div className={styles.content}>{children}</div>
    </aside>
  );
}
