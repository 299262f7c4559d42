export type { Download, FileContent, Upload } from './files.js';
export type { Followed, FollowedPage, FollowOptions } from './follow-events.js';
export type { Answer, PagePromise } from './page.js';
export type { Answered, CallOptions, RosterOptions } from './request.js';
export { RosterError, type Problem, type RosterErrorCode } from './roster-error.js';
export { Roster } from './roster.js';
export type * from './types.js';
export { eventKinds, scopes } from './types.js';
export {
  verify,
  VerificationError,
  type DeliveryHeaders,
  type VerificationReason,
  type VerifyOptions,
} from './verify.js';
