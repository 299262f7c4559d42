import { X } from 'lucide-react';
import { useEffect, useSyncExternalStore } from 'react';
import { Button, IconButton } from './button.js';
import styles from './toasts.module.css';

interface Toast {
  id: number;
  text: string;
  kind: 'info' | 'bad';
  action?: { label: string; run: () => void };
}

/** Long enough to read it and to press its button. */
const shownMs = 8000;

let toasts: readonly Toast[] = [];
let lastId = 0;
const listeners = new Set<() => void>();

const set = (next: readonly Toast[]): void => {
  toasts = next;
  for (const listener of listeners) listener();
};

/** Says what happened, at the edge of the page; with a button such as Undo. At most three at once. */
export function toast(text: string, more: Partial<Pick<Toast, 'kind' | 'action'>> = {}): void {
  lastId += 1;
  set([...toasts.slice(-2), { id: lastId, text, kind: 'info', ...more }]);
}

const dismiss = (id: number): void => set(toasts.filter((one) => one.id !== id));

const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

export function Toasts() {
  const shown = useSyncExternalStore(subscribe, () => toasts);
  return (
    <div className={styles.toasts} role="status" aria-live="polite">
      {shown.map((one) => (
        <Shown key={one.id} toast={one} />
      ))}
    </div>
  );
}

function Shown({ toast: { id, text, kind, action } }: { toast: Toast }) {
  useEffect(() => {
    const timer = setTimeout(() => dismiss(id), shownMs);
    return () => clearTimeout(timer);
  }, [id]);
  return (
    <div className={styles.toast} data-kind={kind}>
      <span>{text}</span>
      {action && (
        <Button
          onClick={() => {
            dismiss(id);
            action.run();
          }}
        >
          {action.label}
        </Button>
      )}
      <IconButton label="Dismiss" icon={<X size={16} aria-hidden />} onClick={() => dismiss(id)} />
    </div>
  );
}
