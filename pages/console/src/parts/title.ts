import { useEffect } from 'react';

/** The title of the document while a screen is shown. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · Roster`;
  }, [title]);
}
