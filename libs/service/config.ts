import { z } from 'zod';
import { parseDatabaseUrl } from './database/address.js';

/** A boolean as people write it in an environment. */
export const flag = z
  .enum(['true', 'false', '1', '0'])
  .transform((value) => value === 'true' || value === '1');

/** What every process is told by its environment. The description of a variable is what to set it to. */
export const processConfig = z.object({
  // A secret made of a file often ends in a line break.
  NATS_URL: z
    .string()
    .trim()
    .refine(
      isNatsUrl,
      'must be one or more nats://host:port, separated by commas, with the same user',
    )
    .meta({ description: 'nats://user:password@host:port' }),
  LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']).default('info'),
  /** Health and metrics. 0 takes a free port. */
  ADMIN_PORT: z.coerce.number().int().min(0).max(65535).default(9090),
  ADMIN_HOST: z.string().default('127.0.0.1'),
  /** On SIGTERM: how long to go on serving while load balancers learn that this process is not ready. */
  DRAIN_DELAY_MS: z.coerce.number().int().min(0).max(300_000).default(0),
});

/** What every process that owns data is told beside that. */
export const databaseConfig = z.object({
  DATABASE_URL: z
    .string()
    .trim()
    .superRefine(checkDatabaseUrl)
    .meta({ description: 'postgres://user:password@host:port/database' }),
  DATABASE_POOL_MAX: z.coerce.number().int().min(2).default(10),
  /** Whether to bring the schema up to date at boot, or to wait until somebody has (`roster migrate`). */
  MIGRATE: flag.default(true),
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

/**
 * The environment, checked. A variable that was renamed declares its former name: `.meta({ formerName: 'OLD' })`. The former
 * name alone is an error. Both together are not: the former release may share the environment during a rollout.
 *
 * @throws Error that names every variable that is missing, wrong or renamed, never its value
 */
export function readConfig<Schema extends z.ZodType>(
  schema: Schema,
  env = process.env,
): z.output<Schema> {
  // Where nothing can be left out, an empty value stands for nothing. As a number it would be 0.
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''));
  const result = schema.safeParse(given);
  const renamed = renamedVariables(schema, given);
  if (result.success && renamed.length === 0) return result.data;
  throw environmentError(schema, result.error, given, renamed);
}

/** Names every variable that is missing or wrong, each in a line with what to do, never its value. */
export function environmentError(
  schema: z.ZodType,
  error: z.ZodError | undefined,
  env: NodeJS.ProcessEnv,
  renamed: readonly string[] = [],
): Error {
  const variables = variablesOf(schema);
  const problems = (error?.issues ?? []).map(({ path, message, code }) => {
    const name = path.join('.');
    // One that is inconsistent with another may have its default.
    if (env[name] !== undefined || code === 'custom') return `  ${name}: ${message}`;
    const description = variables[name]?.description;
    return `  ${name} is missing: set it${description === undefined ? '' : ` to ${description}`}`;
  });
  return new Error(`Invalid environment variables:\n${[...renamed, ...problems].join('\n')}`);
}

/** A line for each variable that is set by its former name alone: it would be ignored. */
const renamedVariables = (schema: z.ZodType, env: NodeJS.ProcessEnv): string[] =>
  Object.entries(variablesOf(schema)).flatMap(([name, variable]) => {
    const formerName = variable?.meta()?.['formerName'];
    if (typeof formerName !== 'string' || env[formerName] === undefined) return [];
    return env[name] === undefined ? [`  ${formerName} was renamed: set ${name}`] : [];
  });

const variablesOf = (schema: z.ZodType): Record<string, z.ZodType | undefined> =>
  schema instanceof z.ZodObject ? schema.shape : {};

function isNatsUrl(text: string): boolean {
  const urls = text.split(',').map((part) => URL.parse(part.trim()));
  const [first, ...others] = urls.map((url) => url && `${url.username}:${url.password}`);
  return (
    // What the first names holds for all; another user would be passed over in silence.
    others.every((user) => user === first || user === ':') &&
    urls.every((url) => url && /^(nats|tls):$/.test(url.protocol) && url.hostname !== '')
  );
}

function checkDatabaseUrl(url: string, context: z.RefinementCtx): void {
  try {
    parseDatabaseUrl(url);
  } catch (error) {
    context.addIssue((error as Error).message);
  }
}
