import { NatsError } from 'nats';

/**
 * Error codes of the JetStream API, by their names in the server without `JS` and `Err`. The client does not export them.
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

/** Whether JetStream rejected a request with this error. */
export const isRefusal = (error: unknown, code: JetStreamCode): boolean =>
  error instanceof NatsError && error.api_error?.err_code === code;
