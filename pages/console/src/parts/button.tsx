import type { ButtonHTMLAttributes, ReactNode, Ref } from 'react';
import { classes } from './classes.js';
import styles from './button.module.css';

type ButtonProps = ButtonHTMLAttributes<HTMLButtonElement> & {
  kind?: 'primary' | 'plain' | 'quiet' | 'danger';
  icon?: ReactNode;
  /** A request is in flight: the button keeps its place and focus, and does nothing. */
  busy?: boolean;
  ref?: Ref<HTMLButtonElement>;
};

export function Button({
  kind = 'plain',
  icon,
  busy,
  children,
  className,
  onClick,
  ...rest
}: ButtonProps) {
  return (
    <button
      type="button"
      {...rest}
      className={classes(styles.button, styles[kind], className)}
      aria-disabled={busy || undefined}
      onClick={(event) => {
        if (busy) event.preventDefault();
        else onClick?.(event);
      }}
    >
      {icon}
      {children !== undefined && <span className={styles.label}>{children}</span>}
    </button>
  );
}

/** A button that only has an icon: its name is read aloud, and shown on hover. */
export function IconButton({ label, icon, ...rest }: ButtonProps & { label: string }) {
  return (
    <Button
      kind="quiet"
      {...rest}
      icon={icon}
      aria-label={label}
      title={label}
      className={styles.icon}
    />
  );
}
