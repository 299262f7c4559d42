import { useEffect, useRef } from 'react';
import { fallbackMs, useLiveStatus, useRefresh } from './live.js';
import { rest } from './rest.js';

/** An action on many contacts, as REST returns it. */
export interface Action {
  id: string;
  status: 'queued' | 'running' | 'completed' | 'cancelled' | 'failed';
  total: number;
  examined: number;
  matched: number;
  changed: number;
  unchanged: number;
  failed: number;
  failures: { contactId: string; message: string }[];
  reason: string | null;
  endedAt: string | null;
}

export const actionsPath = '/v1/contacts/actions';

const everyMs = 500;
/** Without a connection on which progress is announced. */
const unheardMs = 2000;

/**
 * Returns a function that starts an action and shows how far it is until it has ended: it is read again when activity concerns
 * actions. It ends with the component, and the action goes on.
 */
export function useAction() {
  const isLive = useLiveStatus() === 'live';
  const waitMs = useRef(unheardMs);
  waitMs.current = isLive ? fallbackMs : unheardMs;
  // What is announced while an action is created or read may be newer than the answer.
  const heard = useRef(false);
  const wake = useRef<() => void>(undefined);
  useRefresh(
    ({ contactActions, more }) => more || contactActions.length > 0,
    () => {
      heard.current = true;
      wake.current?.();
    },
    everyMs,
  );
  const stop = useRef<AbortController>(undefined);
  useEffect(() => {
    const controller = (stop.current = new AbortController());
    return () => controller.abort();
  }, []);

  const hint = (signal: AbortSignal) =>
    new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, waitMs.current);
      wake.current = () => {
        clearTimeout(timer);
        resolve();
      };
      signal.addEventListener('abort', wake.current, { once: true });
    });

  return async (
    start: (signal: AbortSignal) => Promise<{ data: { action: Action } }>,
    show: (action: Action) => void,
  ): Promise<void> => {
    const { signal } = stop.current!;
    heard.current = false;
    let { action } = (await start(signal)).data;
    for (;;) {
      if (signal.aborted) return;
      show(action);
      if (action.endedAt !== null) return;
      if (!heard.current) await hint(signal);
      if (signal.aborted) return;
      heard.current = false;
      const read = await rest<{ action: Action }>('GET', `${actionsPath}/${action.id}`, { signal });
      action = read.data.action;
    }
  };
}
