/** The configuration of the monolith's processes, set by the process that starts them. */
export const config = {
  databaseUrl: process.env.DATABASE_URL!,
  natsUrl: process.env.NATS_URL!,
  poolMax: Number(process.env.POOL_MAX ?? 20),
  workers: Number(process.env.WORKERS ?? 1),
};
