import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useSyncExternalStore } from 'react';
import { session } from '../session/session.js';
import { SignIn } from '../session/sign-in.js';
import { SignInAgain } from '../session/sign-in-again.js';
import { Shell } from './shell.js';

/** Either the way in, or the screens. What was read is forgotten with the session, and when another workspace is opened. */
export function App() {
  const state = useSyncExternalStore(session.subscribe, session.state);
  const client = useQueryClient();
  const workspaceId = 'current' in state ? state.current.workspace.id : undefined;
  useEffect(() => () => client.clear(), [client, workspaceId]);
  if (state.status === 'starting') return null;
  if (state.status === 'signed-out') return <SignIn why={state.why} />;
  return (
    <>
      <Shell key={workspaceId} signedIn={state.current} />
      {state.status === 'expired' && <SignInAgain why={state.why} />}
    </>
  );
}
