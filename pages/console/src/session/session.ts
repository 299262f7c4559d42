import { gatewayUrl, takeEarlyAnswer, takeFirstAnswer } from '../boot.js';
import { isTemporary, offline, Problem, problemOf } from '../data/problem.js';

/** The answer of `POST /console/session/token`. */
export interface SignedIn {
  token: string;
  expiresAt: string;
  session: { id: string; expiresAt: string; freshUntil: string };
  workspace: { id: string; name: string };
  user: { id: string; name: string; email: string };
  scopes: string[];
}

export interface LinkDescription {
  workspace: { id: string; name: string };
  user: { id: string; name: string };
  expiresAt: string;
}

export type SessionState =
  | { status: 'starting' }
  | { status: 'signed-out'; why?: string | undefined }
  /** The session has ended while its screens were open, or an act needs a new sign-in: what was typed stays. */
  | { status: 'expired'; current: SignedIn; why: string }
  | { status: 'signed-in'; current: SignedIn };

/** A token is replaced this long before it expires. */
const aheadMs = 30_000;

/**
 * The session of this page. The cookie, which no script sees, only buys tokens of minutes, and those stay in memory.
 */
class Session {
  #state: SessionState = { status: 'starting' };
  #buying: Promise<SignedIn> | undefined;
  readonly #listeners = new Set<() => void>();

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly state = (): SessionState => this.#state;

  /** Looks for a session that this browser has. */
  async start(): Promise<void> {
    await this.#buy().catch((error: unknown) => {
      if (this.#state.status === 'starting')
        this.#set({ status: 'signed-out', why: reason(error) });
    });
  }

  /** Host of the identity provider with which users can sign in, or null. */
  async identityProvider(): Promise<string | null> {
    return (await post<{ identityProvider: string | null }>('/methods', {})).identityProvider;
  }

  /** Goes on with a session that another tab of this browser has opened. */
  async resume(): Promise<void> {
    const state = this.#state;
    if (state.status !== 'expired') return;
    const current = await post<SignedIn>('/token', {}).catch(() => undefined);
    if (this.#state === state && current && current.session.id !== state.current.session.id)
      this.#set({ status: 'signed-in', current });
  }

  describeLink(link: string): Promise<LinkDescription> {
    return post<LinkDescription>('/link', { link });
  }

  async signIn(credential: { link: string } | { apiKey: string }): Promise<void> {
    this.#set({ status: 'signed-in', current: await post<SignedIn>('/open', credential) });
  }

  async signOut(): Promise<void> {
    await send('/end', {}).catch((error: unknown) => {
      // It has ended already.
      if (!(error instanceof Problem) || error.status !== 401) throw error;
    });
    this.#set({ status: 'signed-out' });
  }

  /** A token that is valid for at least this long, if tokens are made for that long. */
  async token(leftMs = aheadMs): Promise<string> {
    const state = this.#state;
    if (state.status === 'signed-in' && Date.parse(state.current.expiresAt) - Date.now() > leftMs)
      return state.current.token;
    return (await this.#buy()).token;
  }

  /**
   * Like `fetch`, with the token. A token that is refused is replaced once: it may have been revoked with its session, which
   * then signs the reader out.
   *
   * @throws Problem `unreachable`, `unauthenticated`
   */
  async fetch(
    url: string,
    init: RequestInit & { headers: Record<string, string> },
  ): Promise<Response> {
    const attempt = async (token: string) =>
      fetch(url, { ...init, headers: { ...init.headers, authorization: `Bearer ${token}` } }).catch(
        (error: unknown) => {
          if (init.signal?.aborted) throw error;
          throw offline();
        },
      );
    const token = await this.token();
    const early = await takeEarlyAnswer(init.body);
    // Of this session, and of no other one that was opened meanwhile.
    if (early?.token === token && early.response.ok) return early.response;
    const response = await attempt(token);
    if (response.status !== 401) return response;
    return attempt((await this.#buy()).token);
  }

  /** Asks for a new sign-in above the open screens, or on a page of its own when there are none. */
  requireSignIn(why: string): void {
    const state = this.#state;
    this.#set(
      state.status === 'signed-in' || state.status === 'expired'
        ? { status: 'expired', current: state.current, why }
        : { status: 'signed-out' },
    );
  }

  /** Goes on with the session as it is. */
  dismissSignIn(): void {
    if (this.#state.status === 'expired')
      this.#set({ status: 'signed-in', current: this.#state.current });
  }

  #buy(): Promise<SignedIn> {
    this.#buying ??= patiently(() => post<SignedIn>('/token', {}, takeFirstAnswer()))
      .then((current) => {
        this.#set({ status: 'signed-in', current });
        return current;
      })
      .catch((error: unknown) => {
        if (error instanceof Problem && error.status === 401)
          this.requireSignIn('The session has ended. Sign in again: what you have typed is kept.');
        throw error;
      })
      .finally(() => (this.#buying = undefined));
    return this.#buying;
  }

  #set(state: SessionState): void {
    this.#state = state;
    for (const listener of this.#listeners) listener();
  }
}

export const session = new Session();

const attempts = 5;

/** Repeats what a part of the system that is away, or a limit, refused for the moment. */
async function patiently<Answer>(send: () => Promise<Answer>): Promise<Answer> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await send();
    } catch (error) {
      if (!isTemporary(error) || attempt === attempts) throw error;
      const seconds = (error as Problem).retryAfterSeconds ?? 0.5 * 2 ** attempt;
      await new Promise((resolve) => setTimeout(resolve, Math.min(seconds, 15) * 1000));
    }
  }
}

async function post<Answer>(path: string, body: object, sent?: Promise<Response>): Promise<Answer> {
  return (await send(path, body, sent)).json() as Promise<Answer>;
}

/** @param sent the answer, if the request was sent already */
async function send(path: string, body: object, sent?: Promise<Response>): Promise<Response> {
  const answer =
    sent ??
    fetch(`${gatewayUrl}/console/session${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  const response = await answer.catch(() => {
    throw offline();
  });
  if (!response.ok) throw await problemOf(response);
  return response;
}

/** Undefined for a browser that has no session, which needs no explanation. */
const reason = (error: unknown): string | undefined =>
  error instanceof Problem && error.status === 401 ? undefined : (error as Error).message;
