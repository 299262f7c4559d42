import { Fault, type FaultCode, type FaultDetails } from '@roster/contracts';
import type { OutgoingHttpHeaders } from 'node:http';

/** A fault that HTTP has headers for, such as `Allow`. */
export class Refusal extends Fault {
  readonly headers: OutgoingHttpHeaders;

  constructor(
    code: FaultCode,
    message: string,
    headers: OutgoingHttpHeaders,
    details: FaultDetails & { reason?: string } = {},
  ) {
    super(code, message, details);
    this.headers = headers;
  }
}
