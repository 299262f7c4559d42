import { httpStatus, type FaultCode } from '@roster/contracts';

/** Codes for requests that are not valid HTTP. */
const transportStatus = {
  bad_request: 400,
  request_timeout: 408,
  request_header_fields_too_large: 431,
} as const;

/** Code of every refusal that the gateway sends. */
export type RefusalCode = FaultCode | keyof typeof transportStatus;

export const refusalStatus: Record<RefusalCode, number> = { ...httpStatus, ...transportStatus };
