import { NatsError } from 'nats';

/**
 * Error codes of JetStream's API by the names that the server gives them (without `JS` and `Err`); the client exports none.
 * https://github.com/nats-io/nats-server/blob/main/server/errors.json
 */
export enum JetStreamCode {
  ClusterNoPeers = 10005,
  ConsumerNotFound = 10014,
  NoMessageFound = 10037,
  NotEnabledForAccount = 10039,
  StreamNotFound = 10059,
  StreamReplicasNotSupported = 10074,
  NotEnabled = 10076,
}

/** Whether JetStream refused a request for this reason. */
export const isRefusal = (error: unknown, code: JetStreamCode): boolean =>
  error instanceof NatsError && error.api_error?.err_code === code;
