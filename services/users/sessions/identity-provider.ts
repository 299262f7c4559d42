import { Fault, type SignInRefusal } from '@roster/contracts';
import type { Log } from '@roster/process';
import * as oidc from 'openid-client';
import type { z } from 'zod';
import type { usersConfig } from '../config.js';

export interface IdentitySettings {
  issuer: string;
  clientId: string;
  /** Undefined for a public client. */
  clientSecret?: string | undefined;
  publicUrl: string;
}

/** Who has signed in at the issuer. */
export interface Identity {
  issuer: string;
  subject: string;
  /** Undefined without an address, or with one that the issuer has not verified. */
  email?: string | undefined;
}

/** Undefined if no issuer is configured. It is not called before somebody signs in. */
export function providerOf(
  config: z.output<typeof usersConfig>,
  log: Pick<Log, 'warn'>,
): IdentityProvider | undefined {
  const { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId, PUBLIC_URL: publicUrl } = config;
  if (issuer === undefined || clientId === undefined || publicUrl === undefined) return undefined;
  const clientSecret = config.OIDC_CLIENT_SECRET;
  return new IdentityProvider({ issuer, clientId, clientSecret, publicUrl }, log);
}

/** Of one request. A sign-in makes four at most: what is known of the issuer, the token, its keys, and the email. */
const timeoutSeconds = 3;
const discoveredMs = 3_600_000;
/** Sign-ins that this process finishes at once. An issuer that does not answer must not collect them. */
const finishingMax = 16;
/** Bytes of an answer of the issuer. */
const answerBytesMax = 256 * 1024;
/** As OpenID Connect restricts it. */
const subjectShape = /^[\x21-\x7e]{1,255}$/;

/** Without control characters, which PostgreSQL stores in part only. */
const emailShape = /^\P{C}{1,254}$/u;

/**
 * The OpenID issuer, as a client with the authorization code flow, PKCE, state and nonce. It is this service that calls it, not the
 * gateway: a gateway that could name the identity that signed in could open the sessions of all of them.
 */
export class IdentityProvider {
  readonly host: string;
  readonly #settings: IdentitySettings;
  readonly #log: Pick<Log, 'warn'>;
  readonly #redirectUri: string;
  #discovered: { config: Promise<oidc.Configuration>; until: number } | undefined;
  /** By the attempt and the query of the browser. */
  readonly #finishing = new Map<string, Promise<Identity | SignInRefusal>>();

  constructor(settings: IdentitySettings, log: Pick<Log, 'warn'>) {
    this.#settings = settings;
    this.#log = log;
    this.host = new URL(settings.issuer).host;
    this.#redirectUri = `${settings.publicUrl}/console/session/oidc/callback`;
  }

  /** Where the user signs in, and what their browser keeps until then. @throws Fault `unavailable` */
  async start(): Promise<{ url: string; redirectUri: string; attempt: string }> {
    const config = await this.#configuration();
    const [state, nonce] = [oidc.randomState(), oidc.randomNonce()];
    const verifier = oidc.randomPKCECodeVerifier();
    const { href } = oidc.buildAuthorizationUrl(config, {
      redirect_uri: this.#redirectUri,
      scope: 'openid email',
      ...{ state, nonce },
      code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    });
    const attempt = [state, nonce, verifier].join('.');
    return { url: href, redirectUri: this.#redirectUri, attempt };
  }

  /**
   * @param query what the issuer added to the redirect URI
   * @throws Fault `unavailable`
   */
  async finish(query: string, attempt: string): Promise<Identity | SignInRefusal> {
    const [state = '', nonce = '', verifier = ''] = attempt.split('.');
    // Without a request: this browser did not start the sign-in, or not lately.
    if (new URLSearchParams(query).get('state') !== state) return 'expired';
    const request = `${attempt} ${query}`;
    // A browser may send it twice: the issuer would refuse the second use of the code, and revoke what the first one got.
    const known = this.#finishing.get(request);
    if (known) return known;
    if (this.#finishing.size >= finishingMax) throw away('too many sign-ins are being finished');
    const finishing = this.#exchange(query, { state, nonce, verifier }).finally(() =>
      this.#finishing.delete(request),
    );
    this.#finishing.set(request, finishing);
    return finishing;
  }

  async #exchange(
    query: string,
    { state, nonce, verifier }: Record<'state' | 'nonce' | 'verifier', string>,
  ): Promise<Identity | SignInRefusal> {
    const config = await this.#configuration();
    try {
      const tokens = await oidc.authorizationCodeGrant(
        config,
        new URL(`${this.#redirectUri}?${query}`),
        {
          expectedState: state,
          expectedNonce: nonce,
          pkceCodeVerifier: verifier,
          idTokenExpected: true,
        },
      );
      return await identityOf(config, tokens);
    } catch (error) {
      return this.#refusalOf(error);
    }
  }

  /** What the issuer publishes about itself, asked once for all who wait. A failure is not kept. @throws Fault `unavailable` */
  async #configuration(): Promise<oidc.Configuration> {
    const now = performance.now();
    if (!this.#discovered || this.#discovered.until <= now)
      this.#discovered = { config: discover(this.#settings), until: now + discoveredMs };
    const discovered = this.#discovered;
    try {
      return await discovered.config;
    } catch (error) {
      if (this.#discovered === discovered) this.#discovered = undefined;
      throw away(reasonOf(error));
    }
  }

  /** Messages of the library can quote what the issuer has answered: only codes are logged. @throws Fault `unavailable` */
  #refusalOf(error: unknown): SignInRefusal {
    if (error instanceof oidc.AuthorizationResponseError && error.error === 'access_denied')
      return 'cancelled';
    const isAway =
      error instanceof TypeError ||
      (error instanceof oidc.ClientError && error.code === 'OAUTH_TIMEOUT') ||
      // Such as `invalid_client`: the code was not the reason.
      (error instanceof oidc.ResponseBodyError && error.error !== 'invalid_grant');
    if (isAway) throw away(reasonOf(error));
    this.#log.warn({ reason: reasonOf(error) }, 'a sign-in with OpenID Connect was refused');
    return 'refused';
  }
}

async function discover(settings: IdentitySettings): Promise<oidc.Configuration> {
  const { issuer, clientId, clientSecret } = settings;
  const isPlain = issuer.startsWith('http:');
  const execute = [
    oidc.enableNonRepudiationChecks,
    // The configuration allows it on this machine only.
    ...(isPlain ? [oidc.allowInsecureRequests] : []),
  ];
  const authenticate: oidc.ClientAuth = (server, client, body, headers) => {
    const { token_endpoint_auth_methods_supported: methods = ['client_secret_basic'] } = server;
    const method =
      clientSecret === undefined
        ? oidc.None()
        : methods.includes('client_secret_basic')
          ? oidc.ClientSecretBasic(clientSecret)
          : oidc.ClientSecretPost(clientSecret);
    return method(server, client, body, headers);
  };
  return oidc.discovery(new URL(issuer), clientId, undefined, authenticate, {
    execute,
    timeout: timeoutSeconds,
    [oidc.customFetch]: fetchBounded,
  });
}

/** The library reads answers whole: one without an end would fill the memory. @throws TypeError */
async function fetchBounded(
  url: string,
  { body = null, ...options }: oidc.CustomFetchOptions,
): Promise<Response> {
  const response = await fetch(url, { ...options, body });
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    if (bytes > answerBytesMax) throw new TypeError('The answer is too large.');
    chunks.push(chunk);
  }
  return new Response(bytes === 0 ? null : Buffer.concat(chunks), response);
}

async function identityOf(
  config: oidc.Configuration,
  tokens: Awaited<ReturnType<typeof oidc.authorizationCodeGrant>>,
): Promise<Identity | SignInRefusal> {
  const claims = tokens.claims();
  if (!claims || !subjectShape.test(claims.sub)) return 'refused';
  const { issuer, userinfo_endpoint: userinfo } = config.serverMetadata();
  const { email, email_verified: isVerified } =
    claims['email'] === undefined && userinfo !== undefined
      ? await oidc.fetchUserInfo(config, tokens.access_token, claims.sub)
      : claims;
  const isUsable = isVerified === true && typeof email === 'string' && emailShape.test(email);
  return { issuer, subject: claims.sub, email: isUsable ? email : undefined };
}

const away = (reason: string): Fault =>
  new Fault('unavailable', 'The identity provider cannot be used at the moment.', { reason });

/** Codes only, such as `OAUTH_TIMEOUT`, `invalid_client` or `ECONNREFUSED`. */
function reasonOf(error: unknown): string {
  const {
    error: code,
    code: ownCode,
    cause,
  } = error as {
    error?: unknown;
    code?: unknown;
    cause?: { code?: unknown };
  };
  const found = [code, ownCode, cause?.code].filter((one) => typeof one === 'string');
  return `OpenID issuer: ${found.join(', ') || 'no answer'}`;
}
