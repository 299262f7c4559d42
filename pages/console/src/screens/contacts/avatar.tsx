import { classes } from '../../parts/classes.js';
import styles from './avatar.module.css';

/** Initials, for the eye to hold on to. */
export const Avatar = ({ of, isLarge }: { of: string; isLarge?: boolean }) => (
  <span aria-hidden className={classes(styles.avatar, isLarge && styles.large)}>
    {initials(of)}
  </span>
);

function initials(text: string): string {
  const words = text
    .replace(/@.*/, '')
    .split(/[\s._-]+/)
    .filter((word) => /^[\p{L}\p{N}]/u.test(word));
  const chosen = words.length > 1 ? [words[0]!, words.at(-1)!] : words;
  return chosen.map((word) => [...word][0]!.toUpperCase()).join('') || '?';
}
