import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Provider } from 'oidc-provider';

export interface Account {
  email?: string;
  email_verified?: boolean;
}

export const client = { clientId: 'roster', clientSecret: randomBytes(24).toString('hex') };
export const publicUrl = 'http://127.0.0.1:8080';

/** A real OpenID issuer on this machine, whose accounts sign in without a page. */
export class OpenIdIssuer {
  readonly url: string;
  readonly accounts = new Map<string, Account>();
  /** Paths of the requests that the service has sent. */
  readonly requests: string[] = [];
  /** Set to answer the next requests in place of the issuer. */
  instead: ((request: IncomingMessage, response: ServerResponse) => void) | undefined;
  readonly #close: () => Promise<unknown>;

  static async start(): Promise<OpenIdIssuer> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const issuer = new OpenIdIssuer(
      `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      () => {
        server.closeAllConnections();
        return new Promise((resolve) => server.close(resolve));
      },
    );
    const answer = issuer.#provider();
    server.on('request', (request, response) => {
      issuer.requests.push(request.url!.split('?')[0]!);
      if (issuer.instead) issuer.instead(request, response);
      else answer(request, response);
    });
    return issuer;
  }

  private constructor(url: string, close: () => Promise<unknown>) {
    this.url = url;
    this.#close = close;
  }

  close(): Promise<unknown> {
    return this.#close();
  }

  /** Signs in at an address of `start`, and returns the query with which the browser is sent back. */
  async signIn(url: string, account: string): Promise<string> {
    const cookies = new Map<string, string>();
    let next = `${url}&login_hint=${account}`;
    while (!next.startsWith(publicUrl)) {
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

  #provider(): (request: IncomingMessage, response: ServerResponse) => void {
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const provider = new Provider(this.url, {
      clients: [
        {
          client_id: client.clientId,
          client_secret: client.clientSecret,
          redirect_uris: [`${publicUrl}/console/session/oidc/callback`],
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
      features: { devInteractions: { enabled: false } },
      interactions: { url: (_, { uid }) => `/interaction/${uid}` },
      async loadExistingGrant({ oidc }) {
        const grant = new oidc.provider.Grant({
          clientId: oidc.client!.clientId,
          accountId: oidc.session!.accountId!,
        });
        grant.addOIDCScope('openid email');
        await grant.save();
        return grant;
      },
    });
    const answer = provider.callback();
    const finish = async (request: IncomingMessage, response: ServerResponse) => {
      const { params } = await provider.interactionDetails(request, response);
      const account = params['login_hint'] as string;
      await provider.interactionFinished(
        request,
        response,
        account === 'nobody' ? { error: 'access_denied' } : { login: { accountId: account } },
      );
    };
    return (request, response) =>
      void (request.url!.startsWith('/interaction/')
        ? finish(request, response)
        : answer(request, response));
  }
}
