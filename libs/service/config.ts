import { z } from 'zod';

/** What every process is told by its environment. */
export const processConfig = z.object({
  NATS_URL: z
    .string()
    .min(1)
    .meta({ description: 'nats://host:port, several separated by commas' }),
  LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']).default('info'),
  /** Health and metrics. 0 takes a free port. */
  ADMIN_PORT: z.coerce.number().int().min(0).max(65535).default(9090),
  ADMIN_HOST: z.string().default('127.0.0.1'),
});

/** What every process that owns data is told beside that. */
export const databaseConfig = z.object({
  DATABASE_URL: z
    .string()
    .min(1)
    .meta({ description: 'postgres://user:password@host:port/database' }),
  DATABASE_POOL_MAX: z.coerce.number().int().min(2).default(10),
});

/** Copies of the event stream in a NATS cluster, and how long it keeps events. */
export const eventStreamConfig = z.object({
  EVENTS_REPLICAS: z.coerce.number().int().min(1).max(5).default(1),
  EVENTS_MAX_AGE_SECONDS: z.coerce
    .number()
    .int()
    .min(600)
    .default(7 * 86_400),
});

/** A boolean as people write it in an environment. */
export const flag = z
  .enum(['true', 'false', '1', '0'])
  .transform((value) => value === 'true' || value === '1');

/**
 * The environment, checked.
 *
 * @throws Error that names every variable that is missing or wrong, never its value
 */
export function readConfig<Schema extends z.ZodType>(
  schema: Schema,
  env = process.env,
): z.output<Schema> {
  const result = schema.safeParse(env);
  if (result.success) return result.data;
  const problems = result.error.issues.map(
    (issue) => `  ${issue.path.join('.')}: ${issue.message}`,
  );
  throw new Error(`The environment is not right:\n${problems.join('\n')}`);
}
