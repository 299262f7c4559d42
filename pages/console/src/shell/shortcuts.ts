import { useEffect } from 'react';
import { useLocation } from 'wouter';
import { openHelp } from './help.js';
import { openPalette } from './palette.js';
import { routes } from './routes.js';

/** `g` waits this long for its second key. */
const secondKeyMs = 1000;

/**
 * The keys of every screen: `Ctrl`/`⌘` `K`, `g` and the key of a screen, `/` for the search field of the screen. Keys of a screen
 * itself are attributes: `n` presses the button with `data-key="n"`.
 */
export function useShortcuts(): void {
  const [, navigate] = useLocation();
  useEffect(() => {
    let goSince = 0;
    const onKeyDown = (press: KeyboardEvent) => {
      if ((press.ctrlKey || press.metaKey) && press.key.toLowerCase() === 'k') {
        press.preventDefault();
        openPalette();
        return;
      }
      if (press.ctrlKey || press.metaKey || press.altKey || isTyping(press.target)) return;
      if (document.querySelector('dialog[open]')) return;
      if (press.key === '?') openHelp();
      const screen = routes.find(({ key }) => key === press.key);
      if (screen && Date.now() - goSince < secondKeyMs) {
        press.preventDefault();
        goSince = 0;
        navigate(screen.href);
        return;
      }
      goSince = press.key === 'g' ? Date.now() : 0;
      const target = document.querySelector<HTMLElement>(`[data-key="${CSS.escape(press.key)}"]`);
      if (!target) return;
      press.preventDefault();
      if (target.matches('input, select')) target.focus();
      else target.click();
    };
    document.addEventListener('keydown', onKeyDown);
    return () => document.removeEventListener('keydown', onKeyDown);
  }, [navigate]);
}

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof Element && target.matches('input, textarea, select, [contenteditable]');
