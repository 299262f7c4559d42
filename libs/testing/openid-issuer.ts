import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { Provider } from 'oidc-provider';

export interface OpenIdAccount {
  email?: string;
  email_verified?: boolean;
}

/** The installation of Roster, as the issuer knows it. */
export const openIdClient = {
  clientId: 'roster',
  clientSecret: randomBytes(24).toString('hex'),
};

interface IssuerOptions {
  /** Address of the gateways, to which browsers are sent back. */
  publicUrl: string;
  /** Shows people a page on which they log in, and one on which they consent. Otherwise `signIn` answers for them. */
  hasPages?: boolean;
}

/** A real OpenID issuer on this machine. For browsers it is another site than the gateway at 127.0.0.1. */
export class OpenIdIssuer {
  readonly url: string;
  readonly publicUrl: string;
  /** By the name with which they log in. */
  readonly accounts = new Map<string, OpenIdAccount>();
  /** Paths of the requests that were sent to it. */
  readonly requests: string[] = [];
  /** Set to answer the next requests in place of the issuer. */
  instead: ((request: IncomingMessage, response: ServerResponse) => void) | undefined;
  readonly #close: () => Promise<unknown>;

  static async start(options: IssuerOptions): Promise<OpenIdIssuer> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const issuer = new OpenIdIssuer(
      `http://localhost:${(server.address() as AddressInfo).port}`,
      options.publicUrl,
      () => {
        server.closeAllConnections();
        return new Promise((resolve) => server.close(resolve));
      },
    );
    const answer = issuer.#provider(options.hasPages ?? false);
    server.on('request', (request, response) => {
      issuer.requests.push(request.url!.split('?')[0]!);
      if (issuer.instead) issuer.instead(request, response);
      else answer(request, response);
    });
    return issuer;
  }

  private constructor(url: string, publicUrl: string, close: () => Promise<unknown>) {
    this.url = url;
    this.publicUrl = publicUrl;
    this.#close = close;
  }

  close(): Promise<unknown> {
    return this.#close();
  }

  /** Signs in at an address of `identity-sign-ins.start`, and returns the query with which the browser is sent back. */
  async signIn(url: string, account: string): Promise<string> {
    const cookies = new Map<string, string>();
    let next = `${url}&login_hint=${account}`;
    while (!next.startsWith(this.publicUrl)) {
      const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
      const response = await fetch(next, { redirect: 'manual', headers: { cookie } });
      for (const set of response.headers.getSetCookie()) {
        const [, name, value] = /^([^=]+)=([^;]*)/.exec(set)!;
        cookies.set(name!, value!);
      }
      const location = response.headers.get('location');
      if (location === null) throw new Error(`the issuer answered ${await response.text()}`);
      next = new URL(location, this.url).href;
    }
    return new URL(next).search.slice(1);
  }

  #provider(hasPages: boolean): (request: IncomingMessage, response: ServerResponse) => void {
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const provider = new Provider(this.url, {
      clients: [
        {
          client_id: openIdClient.clientId,
          client_secret: openIdClient.clientSecret,
          redirect_uris: [`${this.publicUrl}/console/session/oidc/callback`],
        },
      ],
      jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), use: 'sig', kid: 'k1' }] },
      cookies: { keys: [randomBytes(24).toString('hex')] },
      claims: { openid: ['sub'], email: ['email', 'email_verified'] },
      findAccount: (_, sub) => {
        const account = this.accounts.get(sub);
        return account && { accountId: sub, claims: () => ({ sub, ...account }) };
      },
      ttl: { Interaction: 60, Grant: 60, Session: 60, AccessToken: 60, IdToken: 60 },
      // Its own pages load a font from elsewhere.
      features: { devInteractions: { enabled: false } },
      interactions: { url: (_, { uid }) => `/interaction/${uid}` },
      ...(!hasPages && {
        loadExistingGrant: ({ oidc }) => grant(provider, oidc.session!.accountId!),
      }),
    });
    const answer = provider.callback();
    const interact = hasPages ? showPages : logInAsHinted;
    return (request, response) =>
      void (request.url!.startsWith('/interaction/')
        ? interact(provider, request, response)
        : answer(request, response));
  }
}

async function grant(provider: Provider, accountId: string) {
  const granted = new provider.Grant({ clientId: openIdClient.clientId, accountId });
  granted.addOIDCScope('openid email');
  await granted.save();
  return granted;
}

type Interact = (
  provider: Provider,
  request: IncomingMessage,
  response: ServerResponse,
) => Promise<void>;

const logInAsHinted: Interact = async (provider, request, response) => {
  const { params } = await provider.interactionDetails(request, response);
  const account = params['login_hint'] as string;
  const isRefused = account === 'nobody';
  await provider.interactionFinished(
    request,
    response,
    isRefused ? { error: 'access_denied' } : { login: { accountId: account } },
  );
};

const showPages: Interact = async (provider, request, response) => {
  const { prompt, session } = await provider.interactionDetails(request, response);
  const isLogin = prompt.name === 'login';
  if (request.method !== 'POST') {
    response
      .setHeader('content-type', 'text/html; charset=utf-8')
      .end(isLogin ? page('Log in', logInFields) : page('Consent', '<button>Allow</button>'));
    return;
  }
  const form = new URLSearchParams(await text(request));
  await provider.interactionFinished(
    request,
    response,
    isLogin
      ? { login: { accountId: form.get('account')! } }
      : { consent: { grantId: (await grant(provider, session!.accountId)).jti } },
    { mergeWithLastSubmission: true },
  );
};

const logInFields =
  '<label>Account <input name="account" autofocus></label><button>Log in</button>';

const page = (title: string, fields: string) =>
  `<!doctype html><html lang="en"><title>${title}</title><h1>${title}</h1><form method="post">${fields}</form>`;
