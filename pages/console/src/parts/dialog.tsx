import { X } from 'lucide-react';
import { useId, useLayoutEffect, useRef, type ReactNode } from 'react';
import { Button, IconButton } from './button.js';
import { classes } from './classes.js';
import styles from './dialog.module.css';
import { Notice } from './notice.js';

interface DialogProps {
  title: string;
  children: ReactNode;
  onClose: () => void;
  isWide?: boolean;
}

/** A modal dialog, open as long as it is rendered. The browser keeps the focus inside and returns it. */
export function Dialog({ title, children, onClose, isWide }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  // Before what is pressed next: the focus returns with the dialog, not after a frame.
  useLayoutEffect(() => {
    const element = dialog.current!;
    const before = document.activeElement;
    element.showModal();
    // The content before the button that closes it. `autoFocus` of React has no effect before the dialog is open.
    element
      .querySelector<HTMLElement>(':scope > :not(header) :is(input, select, textarea, button)')
      ?.focus();
    return () => {
      element.close();
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, []);
  return (
    <dialog
      ref={dialog}
      className={classes(styles.dialog, isWide && styles.wide)}
      aria-labelledby={id}
      onClose={onClose}
    >
      <header className={styles.head}>
        <h2 id={id}>{title}</h2>
        <IconButton label="Close" icon={<X size={18} aria-hidden />} onClick={onClose} />
      </header>
      {children}
    </dialog>
  );
}

/** The buttons at the end of a dialog. */
export const DialogButtons = ({ children }: { children: ReactNode }) => (
  <div className={styles.buttons}>{children}</div>
);

interface FormEndProps {
  /** What the form does, in words of its button. */
  action: string;
  /** Why it was refused as a whole. */
  failure: string | undefined;
  isBusy: boolean;
  onClose: () => void;
}

/** The end of a form in a dialog. */
export const FormEnd = ({ action, failure, isBusy, onClose }: FormEndProps) => (
  <>
    {failure !== undefined && <Notice kind="bad">{failure}</Notice>}
    <DialogButtons>
      <Button onClick={onClose}>Cancel</Button>
      <Button kind="primary" type="submit" busy={isBusy}>
        {action}
      </Button>
    </DialogButtons>
  </>
);
