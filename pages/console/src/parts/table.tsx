import {
  useCallback,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
  type CSSProperties,
  type KeyboardEvent,
  type MouseEvent,
  type ReactNode,
} from 'react';
import type { List } from '../data/list.js';
import { Button } from './button.js';
import { classes } from './classes.js';
import { Notice } from './notice.js';
import { moveWindow, rowHeight, shiftFor, windowRows } from './row-window.js';
import styles from './table.module.css';

export interface Column<Row> {
  key: string;
  label: string;
  /** A track of CSS grid: `minmax(0, 2fr)`, `120px`. */
  width: string;
  align?: 'end';
  /** Shown from this width of the table on, in px. The first column is always shown. */
  from?: number;
  render: (row: Row) => ReactNode;
}

interface TableProps<Row> {
  label: string;
  columns: readonly Column<Row>[];
  list: List<Row>;
  /** The row that the panel beside the table shows. */
  openId?: string | undefined;
  onOpen: (row: Row) => void;
  /** Rows that are selected, by their IDs; without it, rows cannot be selected. */
  selection?: ReadonlySet<string>;
  onSelect?: (selection: ReadonlySet<string>) => void;
  nameOf: (row: Row) => string;
  /** Whether a row is shown as one that is gone. */
  isGone?: (row: Row) => boolean;
}

/** Rows rendered beyond the visible ones, above and below. */
const margin = 8;
/** Space for what covers the list at the top and the bottom of the browser's window. */
const covered = 80;

/** A table of any length: only the rows near the window are rendered, and more are loaded before its end comes near. */
export function Table<Row extends { id: string }>(props: TableProps<Row>) {
  const { label, columns, list, openId, onOpen, selection, onSelect, nameOf, isGone } = props;
  const table = useRef<HTMLDivElement>(null);
  const body = useRef<HTMLDivElement>(null);
  const anchor = useRef<number | undefined>(undefined);
  const [width, setWidth] = useState(Infinity);
  const [current, setCurrent] = useState(-1);
  const { count } = list;
  const { first, last, shift, reveal } = useRange(body, count);
  const isNearEnd = last + 40 >= count;
  useEffect(() => {
    if (isNearEnd && list.hasMore && count > 0) list.loadMore();
  });
  useLayoutEffect(() => {
    const observer = new ResizeObserver(([entry]) => setWidth(entry!.contentRect.width));
    observer.observe(table.current!);
    return () => observer.disconnect();
  }, []);

  const shown = columns.filter(({ from = 0 }, at) => at === 0 || width >= from);
  const template = [selection && '44px', ...shown.map((column) => column.width)]
    .filter(Boolean)
    .join(' ');
  const tracks = { '--tracks': template } as CSSProperties;

  const focusRow = (index: number) => {
    setCurrent(index);
    reveal(index);
    requestAnimationFrame(() =>
      body.current
        ?.querySelector<HTMLElement>(`[data-index="${index}"]`)
        ?.focus({ preventScroll: true }),
    );
  };

  /** The panel beside the table follows. */
  const moveTo = (wanted: number) => {
    const index = Math.max(0, Math.min(count - 1, wanted));
    focusRow(index);
    const row = list.at(index);
    if (openId !== undefined && row) onOpen(row);
  };

  // Anywhere on the screen, as in a list of mail: j and k move, r reads the list again.
  useEffect(() => {
    const onKey = (press: globalThis.KeyboardEvent) => {
      if (press.ctrlKey || press.metaKey || press.altKey || isTyping(press.target)) return;
      if (document.querySelector('dialog[open]')) return;
      if (press.key === 'r') list.reload();
      const step = { j: 1, k: -1 }[press.key];
      if (!step || count === 0) return;
      press.preventDefault();
      const at = current < 0 && openId ? indexOfId(list, openId) : current;
      moveTo(at + step);
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  });

  const select = (index: number, isRange: boolean) => {
    if (!selection || !onSelect) return;
    const next = new Set(selection);
    const row = list.at(index)!;
    const isOn = !selection.has(row.id);
    const from = isRange && anchor.current !== undefined ? anchor.current : index;
    for (let at = Math.min(from, index); at <= Math.max(from, index); at += 1) {
      const { id } = list.at(at)!;
      if (isOn) next.add(id);
      else next.delete(id);
    }
    anchor.current = index;
    onSelect(next);
  };

  const onRowKey = (press: KeyboardEvent, index: number) => {
    if (press.target !== press.currentTarget) return;
    const step = { ArrowDown: 1, ArrowUp: -1 }[press.key];
    if (step) {
      press.preventDefault();
      moveTo(index + step);
    } else if (press.key === 'Enter') {
      // Otherwise a dialog that it opens gets the rest of the press, which would answer it.
      press.preventDefault();
      onOpen(list.at(index)!);
    } else if (press.key.toLowerCase() === 'x' || press.key === ' ') {
      press.preventDefault();
      select(index, press.shiftKey);
    }
  };

  const rows = [];
  for (let index = first; index < last; index += 1) {
    const row = list.at(index);
    if (!row) break;
    rows.push(
      <div
        key={row.id}
        role="row"
        aria-rowindex={index + 2}
        aria-selected={selection ? selection.has(row.id) : row.id === openId}
        data-index={index}
        data-id={row.id}
        className={classes(
          styles.row,
          row.id === openId && styles.open,
          isGone?.(row) && styles.gone,
        )}
        tabIndex={index === Math.min(Math.max(current, first), last - 1) ? 0 : -1}
        onFocus={() => setCurrent(index)}
        onKeyDown={(press) => onRowKey(press, index)}
        onClick={(click) => isPlain(click) && onOpen(row)}
      >
        {selection && (
          <span role="gridcell" className={styles.check}>
            <input
              type="checkbox"
              aria-label={`Select ${nameOf(row)}`}
              checked={selection.has(row.id)}
              tabIndex={-1}
              onChange={() => undefined}
              onClick={(click) => {
                click.stopPropagation();
                select(index, click.shiftKey);
              }}
            />
          </span>
        )}
        {shown.map(({ key, align, render }) => (
          <span
            key={key}
            role="gridcell"
            className={classes(styles.cell, align === 'end' && styles.end)}
          >
            {render(row)}
          </span>
        ))}
      </div>,
    );
  }

  return (
    <div
      ref={table}
      role="grid"
      aria-label={label}
      aria-rowcount={list.hasMore ? -1 : list.count + 1}
      aria-multiselectable={selection !== undefined}
      aria-busy={list.isLoading || list.isFormer}
      className={styles.table}
      style={tracks}
    >
      <div role="row" aria-rowindex={1} className={styles.head}>
        {selection && (
          <span role="columnheader" className={styles.check}>
            <input
              type="checkbox"
              aria-label="Select all loaded rows"
              checked={selection.size > 0 && selection.size >= list.count}
              onChange={({ target }) => {
                const next = new Set<string>();
                if (target.checked)
                  for (let at = 0; at < list.count; at += 1) next.add(list.at(at)!.id);
                onSelect?.(next);
              }}
            />
          </span>
        )}
        {shown.map(({ key, label: title, align }) => (
          <span
            key={key}
            role="columnheader"
            className={classes(styles.cell, align === 'end' && styles.end)}
          >
            {title}
          </span>
        ))}
      </div>
      {list.isLoading && <Placeholder />}
      <div
        ref={body}
        role="rowgroup"
        className={styles.body}
        style={{ height: Math.min(count, windowRows) * rowHeight }}
      >
        <div
          className={styles.window}
          style={{ transform: `translateY(${(first - shift) * rowHeight}px)` }}
        >
          {rows}
        </div>
      </div>
      {list.error && (
        <div className={styles.foot}>
          <Notice kind="bad">{list.error.message}</Notice>
          <Button onClick={list.reload}>Try again</Button>
        </div>
      )}
      {list.isLoadingMore && <div className={styles.more}>Loading more…</div>}
    </div>
  );
}

/** Lines of the height of rows, so that nothing moves when the rows arrive. */
const Placeholder = () => (
  <div aria-hidden className={styles.placeholder}>
    {Array.from({ length: 12 }, (_, at) => (
      <div key={at} />
    ))}
  </div>
);

/** Safari does so from 26.2 on. */
const tellsScrollEnd = 'onscrollend' in window;

/** The rows near the window. Measured before the browser paints, so that no row appears a frame late. */
function useRange(body: { current: HTMLDivElement | null }, count: number) {
  const [range, setRange] = useState({ first: 0, last: 0, shift: 0 });
  const place = useRef({ shift: 0, at: 0, isJump: false });
  const measure = useCallback(() => {
    const element = body.current;
    if (!element) return;
    const visible = window.innerHeight / rowHeight;
    const now = -element.getBoundingClientRect().top / rowHeight;
    const { shift, at, isJump, by } = moveWindow(place.current, now, visible, count);
    place.current = { shift, at, isJump: isJump && tellsScrollEnd };
    const first = Math.max(0, Math.floor(shift + at) - margin);
    // Not before the first one, if the table begins far below the window.
    const last = Math.max(first, Math.min(count, Math.ceil(shift + at + visible) + margin));
    setRange((old) =>
      old.first === first && old.last === last && old.shift === shift
        ? old
        : { first, last, shift },
    );
    if (by !== 0) window.scrollBy(0, by * rowHeight);
  }, [body, count]);
  const reveal = (index: number) => {
    const shift = shiftFor(index, place.current.shift, count);
    const topOf = () => body.current!.getBoundingClientRect().top;
    const top = topOf() + (index - shift) * rowHeight;
    if (top < covered) window.scrollBy(0, top - covered);
    const below = top + rowHeight - (window.innerHeight - covered);
    if (below > 0) window.scrollBy(0, below);
    // The scroll bar was not used.
    place.current = { shift, at: -topOf() / rowHeight, isJump: false };
    measure();
  };
  useLayoutEffect(measure);
  useEffect(() => {
    const endJump = () => (place.current.isJump = false);
    window.addEventListener('scroll', measure, { passive: true });
    window.addEventListener('scrollend', endJump);
    window.addEventListener('resize', measure);
    return () => {
      window.removeEventListener('scroll', measure);
      window.removeEventListener('scrollend', endJump);
      window.removeEventListener('resize', measure);
    };
  }, [measure]);
  return { ...range, reveal };
}

function indexOfId<Row extends { id: string }>(list: List<Row>, id: string): number {
  for (let index = 0; index < list.count; index += 1) if (list.at(index)!.id === id) return index;
  return -1;
}

/** Not a click on a control in the row, and not the end of selecting text. */
const isPlain = ({ target }: MouseEvent): boolean =>
  !(target as Element).closest('a, button, input') && !window.getSelection()?.toString();

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof Element &&
  target.matches('input:not([type="checkbox"]), textarea, select, [contenteditable]');
