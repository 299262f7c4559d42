import { ArrowDown, ArrowUp, Columns3 } from 'lucide-react';
import { useState } from 'react';
import { Badge } from '../../parts/badge.js';
import { IconButton } from '../../parts/button.js';
import { Popover } from '../../parts/popover.js';
import type { Column } from '../../parts/table.js';
import { Time } from '../../parts/time.js';
import { Avatar } from './avatar.js';
import styles from './columns.module.css';
import type { Row } from './contact.js';
import { textOf } from './property-value.js';

/** Keys of columns: `tags`, `created`, and `p.` with the name of a property. */
type ColumnKeys = readonly string[];

interface Property {
  name: string;
  label: string;
}

const storageKey = (workspaceId: string): string => `roster:columns:${workspaceId}`;

/** The columns that the reader chose, kept by this browser for each workspace. */
export function useColumnKeys(workspaceId: string, properties: readonly Property[]) {
  const [chosen, setChosen] = useState(() => stored(workspaceId));
  const initial = ['tags', ...properties.slice(0, 2).map(({ name }) => `p.${name}`), 'created'];
  const choose = (keys: ColumnKeys | undefined) => {
    setChosen(keys);
    try {
      if (keys) localStorage.setItem(storageKey(workspaceId), JSON.stringify(keys));
      else localStorage.removeItem(storageKey(workspaceId));
    } catch {}
  };
  return { keys: chosen ?? initial, isInitial: chosen === undefined, choose };
}

function stored(workspaceId: string): ColumnKeys | undefined {
  try {
    const keys: unknown = JSON.parse(localStorage.getItem(storageKey(workspaceId)) ?? 'null');
    return Array.isArray(keys) ? keys.filter((key) => typeof key === 'string') : undefined;
  } catch {
    return undefined;
  }
}

const tagsShown = 2;

const contactColumn: Column<Row> = {
  key: 'contact',
  label: 'Contact',
  width: 'minmax(0, 3fr)',
  render: ({ name, email, status, isDeleted }) => (
    <span className={styles.contact}>
      <Avatar of={name || email} />
      <span className={styles.names}>
        <span className={styles.name}>
          <bdi>{name || email}</bdi>
        </span>
        {name && (
          <span className={styles.email}>
            <bdi>{email}</bdi>
          </span>
        )}
      </span>
      {isDeleted ? (
        <Badge kind="bad">Deleted</Badge>
      ) : (
        status === 'UNSUBSCRIBED' && <Badge kind="warn">Unsubscribed</Badge>
      )}
    </span>
  ),
};

const widths: Record<string, number> = { contact: 250, tags: 190, created: 130 };
const widthOf = (key: string): number => widths[key] ?? 130;

/** As many of the chosen columns as there is space for, in their order. */
export function columnsOf(keys: ColumnKeys, properties: readonly Property[]): Column<Row>[] {
  const labels = new Map(properties.map(({ name, label }) => [`p.${name}`, label]));
  let from = widthOf('contact');
  const further = keys.flatMap((key): Column<Row>[] => {
    const column = columnOf(key, labels.get(key));
    if (!column) return [];
    from += widthOf(key);
    return [{ ...column, from }];
  });
  return [contactColumn, ...further];
}

function columnOf(key: string, label: string | undefined): Column<Row> | undefined {
  if (key === 'tags')
    return {
      key,
      label: 'Tags',
      width: 'minmax(0, 2fr)',
      render: ({ tags }) => <Tags of={tags} />,
    };
  if (key === 'created')
    return {
      key,
      label: 'Created',
      width: '130px',
      align: 'end',
      render: ({ createdAt }) => <Time at={createdAt} />,
    };
  if (label === undefined) return undefined;
  const name = key.slice(2);
  return {
    key,
    label,
    width: 'minmax(0, 1.2fr)',
    render: ({ properties }) => <bdi>{textOf(properties[name])}</bdi>,
  };
}

const Tags = ({ of }: { of: readonly string[] }) => (
  <span className={styles.tags} title={of.length > tagsShown ? of.join(', ') : undefined}>
    {of.slice(0, tagsShown).map((tag) => (
      <Badge key={tag}>{tag}</Badge>
    ))}
    {of.length > tagsShown && <span>+{of.length - tagsShown}</span>}
  </span>
);

interface ChooserProps extends ReturnType<typeof useColumnKeys> {
  properties: readonly Property[];
}

/** Which columns are shown, and in which order. */
export function ColumnChooser({ keys, isInitial, choose, properties }: ChooserProps) {
  const labels = new Map([
    ['tags', 'Tags'],
    ['created', 'Created'],
    ...properties.map(({ name, label }) => [`p.${name}`, label] as const),
  ]);
  const shown = keys.filter((key) => labels.has(key));
  const others = [...labels.keys()].filter((key) => !shown.includes(key));
  const move = (at: number, by: number) => {
    const next = [...shown];
    [next[at], next[at + by]] = [next[at + by]!, next[at]!];
    choose(next);
  };
  const toggle = (key: string, isOn: boolean) =>
    choose(isOn ? [...shown, key] : shown.filter((one) => one !== key));
  return (
    <Popover label="Columns" icon={<Columns3 size={16} aria-hidden />} isIconOnly>
      <ul className={styles.chooser}>
        {[...shown, ...others].map((key, at) => (
          <li key={key}>
            <label>
              <input
                type="checkbox"
                checked={at < shown.length}
                onChange={({ target }) => toggle(key, target.checked)}
              />
              <span>{labels.get(key)}</span>
            </label>
            {at < shown.length && (
              <>
                <IconButton
                  label={`Move ${labels.get(key)} up`}
                  icon={<ArrowUp size={15} aria-hidden />}
                  disabled={at === 0}
                  onClick={() => move(at, -1)}
                />
                <IconButton
                  label={`Move ${labels.get(key)} down`}
                  icon={<ArrowDown size={15} aria-hidden />}
                  disabled={at === shown.length - 1}
                  onClick={() => move(at, 1)}
                />
              </>
            )}
          </li>
        ))}
      </ul>
      <p className={styles.note}>
        Shown as far as there is space, in this order.{' '}
        {!isInitial && (
          <button type="button" className={styles.link} onClick={() => choose(undefined)}>
            Reset
          </button>
        )}
      </p>
    </Popover>
  );
}
