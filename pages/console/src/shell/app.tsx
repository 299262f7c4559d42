import { useSyncExternalStore } from 'react';
import { session } from '../session/session.js';
import { SignIn } from '../session/sign-in.js';
import { Shell } from './shell.js';

/** Either the way in, or the screens. */
export function App() {
  const state = useSyncExternalStore(session.subscribe, session.state);
  if (state.status === 'starting') return null;
  if (state.status === 'signed-out') return <SignIn why={state.why} />;
  return <Shell signedIn={state.current} />;
}
