import { LogOut, MoonStar, MoreHorizontal, Search, Sun } from 'lucide-react';
import { Link, useLocation } from 'wouter';
import { useLiveStatus } from '../data/live.js';
import { IconButton } from '../parts/button.js';
import { classes } from '../parts/classes.js';
import { Mark } from '../parts/mark.js';
import { session, type SignedIn } from '../session/session.js';
import styles from './navigation.module.css';
import { openPalette } from './palette.js';
import { routes } from './routes.js';
import { toggleTheme, useIsDark } from './theme.js';

/** A bar beside the screens, and below them on a phone: four entries, and the others behind the fifth. */
export function Navigation({ signedIn: { workspace, user } }: { signedIn: SignedIn }) {
  const [location] = useLocation();
  const entry = ({ label, href, Icon }: (typeof routes)[number]) => {
    const isCurrent = location === href || location.startsWith(`${href}/`);
    return (
      <Link
        key={href}
        href={href}
        className={classes(styles.entry, isCurrent && styles.current)}
        aria-current={isCurrent ? 'page' : undefined}
        onClick={() => document.getElementById('more')?.hidePopover()}
      >
        <Icon size={18} aria-hidden />
        <span>{label}</span>
      </Link>
    );
  };
  return (
    <nav className={styles.navigation} aria-label="Screens">
      <div className={styles.workspace}>
        <Mark />
        <div className={styles.names}>
          <strong>
            <bdi>{workspace.name}</bdi>
          </strong>
          <span>
            <bdi>{user.name}</bdi>
          </span>
        </div>
      </div>
      <button type="button" className={styles.find} onClick={openPalette}>
        <Search size={16} aria-hidden />
        <span>Find or go to…</span>
        <kbd>{isApple ? '⌘' : 'Ctrl'} K</kbd>
      </button>
      <div className={styles.entries}>{routes.map(entry)}</div>
      <div className={styles.foot}>
        <Status />
        <ThemeButton />
        <IconButton
          label="Sign out"
          icon={<LogOut size={17} aria-hidden />}
          onClick={() => void session.signOut()}
        />
      </div>
      <div className={styles.bar}>
        {routes.slice(0, 4).map(entry)}
        <button type="button" className={styles.entry} popoverTarget="more">
          <MoreHorizontal size={18} aria-hidden />
          <span>More</span>
        </button>
      </div>
      <div id="more" popover="auto" className={styles.more}>
        {routes.slice(4).map(entry)}
        <button
          type="button"
          className={styles.entry}
          onClick={() => {
            document.getElementById('more')?.hidePopover();
            openPalette();
          }}
        >
          <Search size={18} aria-hidden />
          <span>Find or go to…</span>
        </button>
        <button type="button" className={styles.entry} onClick={toggleTheme}>
          <MoonStar size={18} aria-hidden />
          <span>Dark or light</span>
        </button>
        <button type="button" className={styles.entry} onClick={() => void session.signOut()}>
          <LogOut size={18} aria-hidden />
          <span>Sign out of {workspace.name}</span>
        </button>
      </div>
    </nav>
  );
}

const isApple = /Mac|iPhone|iPad/.test(navigator.userAgent);

/** Whether events arrive as they happen. */
function Status() {
  const status = useLiveStatus();
  const words = { live: 'Live', connecting: 'Connecting…', away: 'Reconnecting…' }[status];
  return (
    <span className={styles.status} role="status" data-status={status}>
      {words}
    </span>
  );
}

function ThemeButton() {
  const isDark = useIsDark();
  return (
    <IconButton
      label={isDark ? 'Light theme' : 'Dark theme'}
      icon={isDark ? <Sun size={17} aria-hidden /> : <MoonStar size={17} aria-hidden />}
      onClick={toggleTheme}
    />
  );
}
