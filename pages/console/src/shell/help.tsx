import { useEffect, useState } from 'react';
import { Dialog } from '../parts/dialog.js';
import styles from './help.module.css';
import { routes } from './routes.js';

const event = 'roster:help';

export const openHelp = (): unknown => window.dispatchEvent(new Event(event));

/** The keys, by what they do. */
export function Help() {
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    const open = () => setOpen(true);
    window.addEventListener(event, open);
    return () => window.removeEventListener(event, open);
  }, []);
  if (!isOpen) return null;
  return (
    <Dialog title="Keyboard" onClose={() => setOpen(false)}>
      <dl className={styles.keys}>
        {keys.map(([press, act]) => (
          <div key={act}>
            <dt>
              {press.split(' ').map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{act}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}

const keys: [press: string, act: string][] = [
  ['Ctrl K', 'Find a screen, a command or a contact'],
  ['/', 'Search on this screen'],
  ['n', 'Add what this screen lists'],
  ['r', 'Read the list again'],
  ['j k', 'Next and previous row'],
  ['Enter', 'Open the row'],
  ['x', 'Select the row'],
  ['Esc', 'Close what is open'],
  ['?', 'Show this list'],
  ...routes.map(({ key, label }): [string, string] => [`g ${key}`, label]),
];
