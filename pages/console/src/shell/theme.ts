import { useSyncExternalStore } from 'react';

const query = matchMedia('(prefers-color-scheme: dark)');
const listeners = new Set<() => void>();

const isDark = (): boolean => {
  const { theme } = document.documentElement.dataset;
  return theme ? theme === 'dark' : query.matches;
};

/** Kept by this browser; boot.js applies it before the first paint. */
export function toggleTheme(): void {
  const theme = isDark() ? 'light' : 'dark';
  document.documentElement.dataset['theme'] = theme;
  try {
    localStorage.setItem('roster:theme', theme);
  } catch {}
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  query.addEventListener('change', listener);
  return () => {
    listeners.delete(listener);
    query.removeEventListener('change', listener);
  };
}

export const useIsDark = (): boolean => useSyncExternalStore(subscribe, isDark);
