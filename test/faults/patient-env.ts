/** Retries deliveries within seconds, and often enough for a run of minutes. */
export const patientEnv = {
  RETRY_SCHEDULE_SECONDS: '1,1,2,2,4,4,8,8,8',
  ATTEMPT_TIMEOUT_MS: '2000',
  LEASE_SECONDS: '5',
  CIRCUIT_OPEN_SECONDS: '1',
  CIRCUIT_OPEN_SECONDS_MAX: '8',
};
