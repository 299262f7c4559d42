/** The configuration of the monolith's processes, set by the process that starts them. */
export const config = {
  databaseUrl: process.env.DATABASE_URL!,
  /** Undefined for the monolith without a stream, which calls webhooks itself. */
  natsUrl: process.env.NATS_URL,
  natsSeedFile: process.env.NATS_NKEY_SEED_FILE!,
  retryMs: Number(process.env.RETRY_MS ?? 5000),
  poolMax: Number(process.env.POOL_MAX ?? 20),
  workers: Number(process.env.WORKERS ?? 1),
};
