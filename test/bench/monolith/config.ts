/** The configuration of the monolith's processes, set by the process that starts them. */
export const config = {
  databaseUrl: process.env.DATABASE_URL!,
  natsUrl: process.env.NATS_URL!,
  natsSeedFile: process.env.NATS_NKEY_SEED_FILE!,
  poolMax: Number(process.env.POOL_MAX ?? 20),
  workers: Number(process.env.WORKERS ?? 1),
};
