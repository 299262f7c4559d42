import { Suspense, useEffect } from 'react';
import { Redirect, Route, Switch } from 'wouter';
import { live } from '../data/live.js';
import type { SignedIn } from '../session/session.js';
import { Toasts } from '../parts/toasts.js';
import { Help } from './help.js';
import { Navigation } from './navigation.js';
import { Palette } from './palette.js';
import { routes } from './routes.js';
import styles from './shell.module.css';
import { useShortcuts } from './shortcuts.js';

/** Navigation beside the screen of the address. */
export function Shell({ signedIn }: { signedIn: SignedIn }) {
  useEffect(() => live.start(), []);
  useShortcuts();
  return (
    <div className={styles.shell}>
      <a className={styles.skip} href="#main">
        Skip to content
      </a>
      <Navigation signedIn={signedIn} />
      <main id="main" className={styles.main} tabIndex={-1}>
        <Suspense>
          <Switch>
            {routes.map(({ path, Screen }) => (
              <Route key={path} path={path}>
                <Screen />
              </Route>
            ))}
            <Route path="/">
              <Redirect to="/contacts" replace />
            </Route>
            <Route>
              <div className={styles.missing}>
                <h1>There is no such page</h1>
                <p>The address may be mistyped, or what it showed was deleted.</p>
              </div>
            </Route>
          </Switch>
        </Suspense>
      </main>
      <Palette />
      <Help />
      <Toasts />
    </div>
  );
}
