import { useEffect, type RefObject } from 'react';

/** `j` and `k` move the focus between the elements with `data-row` of a short list; Enter is the browser's. */
export function useRowKeys(list: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const onKey = (press: KeyboardEvent) => {
      const step = { j: 1, k: -1 }[press.key];
      if (!step || press.ctrlKey || press.metaKey || press.altKey) return;
      if (press.target instanceof Element && press.target.matches('input, textarea, select'))
        return;
      if (document.querySelector('dialog[open]')) return;
      const rows = [...list.current!.querySelectorAll<HTMLElement>('[data-row]')];
      const at = rows.indexOf(document.activeElement as HTMLElement);
      press.preventDefault();
      rows[Math.max(0, Math.min(rows.length - 1, at + step))]?.focus();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, [list]);
}
