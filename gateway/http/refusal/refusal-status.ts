import { httpStatus, type FaultCode } from '@roster/contracts';

/** What is refused before a request is one: HTTP that cannot be read. */
const transportStatus = {
  bad_request: 400,
  request_timeout: 408,
  request_header_fields_too_large: 431,
} as const;

/** Why a request was refused. */
export type RefusalCode = FaultCode | keyof typeof transportStatus;

export const refusalStatus: Record<RefusalCode, number> = { ...httpStatus, ...transportStatus };
