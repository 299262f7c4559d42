/** What boot.js found before the first paint. */
interface Boot {
  /** Absolute URL of the console, without a final slash. The gateway can be mounted below any path. */
  console: string;
  /** Links for signing in that the address contained, separated by commas. */
  links?: string;
  /** Why signing in with the identity provider has failed. */
  failure?: string;
  /** The answer to the first request for a token, which was sent before the scripts were there. */
  token?: Promise<Response>;
  /** Answers to what the screen asks first, by the bodies of the requests. */
  answers: Map<string, Promise<EarlyAnswer | undefined>>;
}

interface EarlyAnswer {
  /** The token that the request was sent with. */
  token: string;
  response: Response;
}

const boot = (globalThis as unknown as { roster: Boot }).roster;

/** A link signs in once: who signs out later needs another. */
export function takeSignInLinks(): string[] {
  const { links } = boot;
  delete boot.links;
  return links?.split(',') ?? [];
}

/** Said once, as the link is used once. */
export function takeSignInFailure(): string | undefined {
  const { failure } = boot;
  delete boot.failure;
  return failure;
}
/** Its body can be read once. */
export function takeFirstAnswer(): Promise<Response> | undefined {
  const { token } = boot;
  delete boot.token;
  return token;
}

/** The answer to a request that was sent before the scripts were there. Undefined if there is none, or it was taken. */
export function takeEarlyAnswer(body: unknown): Promise<EarlyAnswer | undefined> | undefined {
  const answer = boot.answers.get(body as string);
  boot.answers.delete(body as string);
  return answer;
}

/** Path of the console, `/console`. */
export const consolePath = new URL(boot.console).pathname;
/** Absolute URL of the gateway, without a final slash. */
export const gatewayUrl = boot.console.replace(/\/console$/, '');
