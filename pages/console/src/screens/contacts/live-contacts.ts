import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { request } from '../../data/graphql.js';
import type { List } from '../../data/list.js';
import { useLiveEvents } from '../../data/live.js';
import { idsMax, type Row } from './contact.js';
import { ContactsByIds } from './contacts.graphql.js';
import { matches, type View } from './view.js';

/** Events are collected this long, so that a burst of them is one request. */
const collectMs = 400;
/** The total is read again at most this often. */
const countMs = 5000;

/**
 * Keeps the rows as the contacts are, without moving any. Contacts that were created meanwhile are counted, for a button that shows
 * them.
 */
export function useLiveContacts(list: List<Row>, view: View) {
  const client = useQueryClient();
  const [created, setCreated] = useState<ReadonlySet<string>>(new Set());
  const [hasImported, setImported] = useState(false);
  /** IDs, and whether the contact was created meanwhile. */
  const waiting = useRef(new Map<string, boolean>());
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const countTimer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const latest = useRef({ list, view });
  latest.current = { list, view };

  const countAgain = () => {
    countTimer.current ??= setTimeout(() => {
      countTimer.current = undefined;
      void client.invalidateQueries({ queryKey: ['contact-count'] });
    }, countMs);
  };

  const readAgain = async () => {
    timer.current = undefined;
    const read = new Map([...waiting.current].slice(0, idsMax));
    const ids = [...read.keys()];
    for (const id of ids) waiting.current.delete(id);
    if (waiting.current.size > 0) schedule();
    const { nodes } = await request(ContactsByIds, { ids });
    const contacts = new Map<string, Row>();
    for (const node of nodes as (Row | null)[]) if (node) contacts.set(node.id, node);
    const known = new Set<string>();
    latest.current.list.change((row) => {
      known.add(row.id);
      return contacts.get(row.id) ?? row;
    });
    const { view, list } = latest.current;
    // Others are further down in the list, and not loaded yet.
    const newest = view.sort === 'CREATED_AT_DESC' ? list.at(0)?.createdAt : undefined;
    const others = [...contacts.values()].filter(
      (one) =>
        read.get(one.id) &&
        !known.has(one.id) &&
        (newest === undefined || one.createdAt > newest) &&
        matches(view, one),
    );
    if (others.length > 0) setCreated((old) => new Set([...old, ...others.map(({ id }) => id)]));
  };

  const schedule = () => {
    // A connection that is lost is no loss here: the list is read again when the reader asks for it.
    timer.current ??= setTimeout(() => void readAgain().catch(() => undefined), collectMs);
  };

  useLiveEvents((event) => {
    if ('import' in event) {
      if (event.import.created + event.import.updated > 0) setImported(true);
      countAgain();
    }
    if (!('contact' in event)) return;
    const { id } = event.contact;
    void client.invalidateQueries({ queryKey: ['contact', id] });
    // Its deliveries begin when the event does.
    setTimeout(() => void client.invalidateQueries({ queryKey: ['contact-timeline', id] }), 1500);
    if (event.kind !== 'CONTACT_UPDATED') countAgain();
    if (event.kind === 'CONTACT_DELETED') {
      waiting.current.delete(id);
      latest.current.list.replace(id, (row) => ({ ...row, isDeleted: true }));
      setCreated((old) => (old.has(id) ? new Set([...old].filter((one) => one !== id)) : old));
      return;
    }
    waiting.current.set(id, waiting.current.get(id) || event.kind === 'CONTACT_CREATED');
    schedule();
  });

  useEffect(
    () => () => {
      clearTimeout(timer.current);
      clearTimeout(countTimer.current);
      // A screen in strict development is mounted twice.
      timer.current = undefined;
      countTimer.current = undefined;
    },
    [],
  );

  return {
    createdCount: created.size,
    hasImported,
    /** Those that were counted are shown now. */
    forget: () => {
      setCreated(new Set());
      setImported(false);
    },
  };
}
