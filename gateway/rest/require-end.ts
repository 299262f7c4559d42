import { Fault } from '@roster/contracts';
import type { IncomingMessage } from 'node:http';

/**
 * A response of HTTP/1.0 ends with its connection: clients, and proxies such as nginx by default, would take a part of a file for
 * the whole.
 *
 * @throws Fault `invalid`
 */
export function requireEnd({ httpVersion }: IncomingMessage): void {
  if (httpVersion === '1.0')
    throw new Fault(
      'invalid',
      'Files require HTTP/1.1, in which the end of a file can be recognized.',
    );
}
