import { ResponseRules, type OpenapiDocument, type ReceivedResponse } from './response-rules.js';

/** Paths that are no part of the REST interface, each with the paths below it. */
const undocumented = [
  '/console',
  '/docs',
  '/exports',
  '/graphql',
  '/problems',
  '/unsubscribe',
  '/v1/openapi.json',
];

/** Whether the OpenAPI document does not describe the path. */
const isUndocumented = (path: string): boolean =>
  path === '/' || undocumented.some((one) => path === one || path.startsWith(`${one}/`));

type Check = (received: ReceivedResponse) => void;

/** The rules of each document, which most systems have in common. */
const rulesOf = new Map<string, ResponseRules>();
const served = new Map<string, Promise<ResponseRules>>();

/**
 * Returns what checks the response to a request at a URL of a system, according to the OpenAPI document that the system
 * serves. The document is read once, before the request: a system may have stopped after the response.
 */
export async function responseCheck(baseUrl: string, path: string): Promise<Check> {
  if (isUndocumented(path)) return () => undefined;
  const rules = served.get(baseUrl) ?? readRules(baseUrl);
  served.set(baseUrl, rules);
  const { check } = await rules.then(
    (ready) => ({ check: (received: ReceivedResponse) => ready.check(received) }),
    (error: unknown) => {
      served.delete(baseUrl);
      throw error;
    },
  );
  return (received) => {
    try {
      check(received);
    } catch (error) {
      // Tests that repeat requests catch the error: AVA fails a file with an unhandled rejection in any case.
      void Promise.reject(error);
      throw error;
    }
  };
}

async function readRules(baseUrl: string): Promise<ResponseRules> {
  const response = await fetch(`${baseUrl}/v1/openapi.json`);
  const text = await response.text();
  if (!response.ok) throw new Error(`The OpenAPI document was answered ${response.status}.`);
  const rules = rulesOf.get(text) ?? new ResponseRules(JSON.parse(text) as OpenapiDocument);
  rulesOf.set(text, rules);
  return rules;
}
