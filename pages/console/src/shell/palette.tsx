import { useQuery } from '@tanstack/react-query';
import { useEffect, useId, useRef, useState, type KeyboardEvent } from 'react';
import { useLocation } from 'wouter';
import { request } from '../data/graphql.js';
import { session } from '../session/session.js';
import { openHelp } from './help.js';
import { FindContacts } from './palette.graphql.js';
import styles from './palette.module.css';
import { routes } from './routes.js';
import { toggleTheme } from './theme.js';

interface Entry {
  id: string;
  label: string;
  detail?: string;
  run: () => void;
}

const event = 'roster:palette';

export const openPalette = (): unknown => window.dispatchEvent(new Event(event));

/** Goes to a screen or a contact, or runs a command, by its name. */
export function Palette() {
  const dialog = useRef<HTMLDialogElement>(null);
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    const open = () => {
      dialog.current?.showModal();
      setOpen(true);
    };
    window.addEventListener(event, open);
    return () => window.removeEventListener(event, open);
  }, []);
  return (
    <dialog
      ref={dialog}
      className={styles.palette}
      aria-label="Find or go to"
      // The event comes late: the palette may be open again.
      onClose={() => setOpen(dialog.current!.open)}
      onClick={(click) => click.target === dialog.current && dialog.current.close()}
    >
      {isOpen && <Search onDone={() => dialog.current?.close()} />}
    </dialog>
  );
}

function Search({ onDone }: { onDone: () => void }) {
  const [text, setText] = useState('');
  const [selected, setSelected] = useState(0);
  const list = useId();
  const entries = useEntries(text.trim());
  const current = Math.min(selected, entries.length - 1);
  const run = (entry: Entry | undefined) => {
    if (!entry) return;
    onDone();
    entry.run();
  };
  const onKeyDown = (press: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[press.key];
    if (step) {
      press.preventDefault();
      setSelected((current + step + entries.length) % Math.max(entries.length, 1));
    }
    if (press.key === 'Enter') {
      // A dialog that it opens must not get the rest of the press.
      press.preventDefault();
      run(entries[current]);
    }
  };
  return (
    <>
      <input
        className={styles.input}
        role="combobox"
        aria-label="Find a screen, a command or a contact"
        aria-expanded
        aria-controls={list}
        aria-activedescendant={entries[current] && `${list}-${current}`}
        placeholder="A screen, a command, or a contact's name or address"
        autoComplete="off"
        autoFocus
        value={text}
        onChange={({ target }) => {
          setText(target.value);
          setSelected(0);
        }}
        onKeyDown={onKeyDown}
      />
      <ul id={list} role="listbox" aria-label="Results" className={styles.list}>
        {entries.map((entry, at) => (
          <li
            key={entry.id}
            id={`${list}-${at}`}
            role="option"
            aria-selected={at === current}
            className={styles.option}
            onMouseMove={() => setSelected(at)}
            onClick={() => run(entry)}
          >
            <bdi>{entry.label}</bdi>
            {entry.detail && <span className={styles.detail}>{entry.detail}</span>}
          </li>
        ))}
        {entries.length === 0 && <li className={styles.nothing}>Nothing matches “{text}”.</li>}
      </ul>
    </>
  );
}

function useEntries(text: string): Entry[] {
  const [, navigate] = useLocation();
  const { data } = useQuery({
    queryKey: ['palette', text],
    queryFn: ({ signal }) => request(FindContacts, { q: text }, signal),
    enabled: text.length >= 2,
    placeholderData: (previous) => previous,
  });
  const fixed: Entry[] = [
    ...routes.map(({ label, href, key }) => ({
      id: href,
      label,
      detail: `g ${key}`,
      run: () => navigate(href),
    })),
    { id: 'theme', label: 'Switch between dark and light', run: toggleTheme },
    { id: 'sign-out', label: 'Sign out', run: () => void session.signOut() },
    { id: 'help', label: 'Keyboard shortcuts', detail: '?', run: openHelp },
  ];
  const contacts = text.length < 2 ? [] : (data?.contacts?.nodes ?? []);
  return [
    ...fixed.filter(({ label }) => label.toLowerCase().includes(text.toLowerCase())),
    ...contacts.map(({ id, name, email }) => ({
      id,
      label: name || email,
      ...(name && { detail: email }),
      run: () => navigate(`/contacts/${id}`),
    })),
  ];
}
