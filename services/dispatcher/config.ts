import { sourceAddressesMax } from '@roster/contracts';
import { commaList, eventStreamConfig, processConfig, serviceNameConfig } from '@roster/process';
import { databaseConfig } from '@roster/storage';
import { addressRanges, targetConfig } from '@roster/process/targets';
import { z } from 'zod';

/** 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h, 24 h. */
const schedule = '5,300,1800,7200,18000,36000,50400,72000,86400';

export const dispatcherConfig = processConfig
  .extend(databaseConfig.shape)
  .extend(eventStreamConfig.shape)
  .extend(serviceNameConfig.shape)
  .extend(targetConfig.shape)
  .extend({
    RETRY_SCHEDULE_SECONDS: commaList
      .default(schedule.split(','))
      .transform((all) => all.map(Number))
      .refine((all) => all.every((delay) => delay > 0), {
        error: 'must be seconds, separated by commas',
      })
      .describe('Delays before each further attempt, separated by commas'),
    ATTEMPT_TIMEOUT_MS: z.coerce
      .number()
      .int()
      .min(100)
      .max(60_000)
      .default(15_000)
      .describe('Deadline of one attempt'),
    ATTEMPTS_MAX: z.coerce
      .number()
      .int()
      .min(1)
      .default(512)
      .describe(
        'Attempts in flight of one process, for fresh deliveries and for retries each; half of them of one workspace',
      ),
    ATTEMPTS_PER_WEBHOOK_MAX: z.coerce
      .number()
      .int()
      .min(1)
      .default(32)
      .describe('Attempts in flight of one webhook, fresh deliveries and retries together'),
    ATTEMPTS_PER_ADDRESS_MAX: z.coerce
      .number()
      .int()
      .min(1)
      .default(64)
      .describe(
        'Attempts in flight to one host name and to one address, and connections to one address; half of them of slow webhooks, a quarter first attempts',
      ),
    WAITING_PER_WEBHOOK_MAX: z.coerce
      .number()
      .int()
      .min(0)
      .default(1024)
      .describe(
        'Fresh deliveries of one webhook that wait up to a quarter of a second for a slot; others wait in PostgreSQL',
      ),
    CIRCUIT_OPEN_SECONDS: z.coerce
      .number()
      .positive()
      .default(5)
      .describe('How long the circuit of a failing webhook is open at first'),
    CIRCUIT_OPEN_SECONDS_MAX: z.coerce
      .number()
      .positive()
      .default(300)
      .describe('How long the circuit of a failing webhook is open at most'),
    REPLAY_PER_SECOND: z.coerce
      .number()
      .int()
      .min(1)
      .default(100)
      .describe('Deliveries of one replay that are queued per second'),
    HEALTH_REPORT_MS: z.coerce
      .number()
      .int()
      .min(10)
      .max(3_600_000)
      .default(5000)
      .describe('How often the outcomes of attempts are reported to the webhooks service'),
    LEASE_SECONDS: z.coerce
      .number()
      .min(1)
      .default(1.5)
      .describe(
        'How long a claimed delivery belongs to a process that does not renew its lease; at least 1',
      ),
    RETENTION_DAYS: z.coerce
      .number()
      .int()
      .min(1)
      .default(30)
      .describe(
        'How long events and deliveries are kept; at least the retry schedule and `EVENTS_MAX_AGE_SECONDS`',
      ),
    // Secrets read from files often end with a line break.
    DELIVERY_PROXY: z
      .string()
      .trim()
      .refine(isProxyUrl, { error: 'must be http://[user:password@]host:port' })
      .optional()
      .describe(
        'HTTP proxy that deliveries are sent through, `http://[user:password@]host:port`: each connection is a CONNECT to an address that was checked. Its failures do not count as those of webhooks. `HTTPS_PROXY` is ignored',
      ),
    DELIVERY_SOURCE_ADDRESSES: addressRanges
      .refine((all) => all.length <= sourceAddressesMax, {
        error: `must have at most ${sourceAddressesMax} entries`,
      })
      .describe(
        'Addresses and CIDR ranges that deliveries are sent from, separated by commas, as `GET /v1/meta` states them. They are not verified',
      ),
  })
  .superRefine((config, context) => {
    for (const [name, message] of inconsistencies(config))
      context.addIssue({ code: 'custom', path: [name], message });
  });

/** Without a path. User and password may be percent-encoded. */
function isProxyUrl(text: string): boolean {
  const url = URL.parse(text);
  if (url?.protocol !== 'http:' || url.pathname !== '/' || /[?#\s]/.test(text)) return false;
  try {
    decodeURIComponent(url.username + url.password);
    return true;
  } catch {
    return false;
  }
}

interface Durations {
  RETRY_SCHEDULE_SECONDS: number[];
  ATTEMPT_TIMEOUT_MS: number;
  RETENTION_DAYS: number;
  EVENTS_MAX_AGE_SECONDS: number;
}

/** The jitter of a delay is ±20 %. */
const longestJitter = 1.2;
const daySeconds = 86_400;

function inconsistencies(config: Durations): [name: keyof Durations, message: string][] {
  const attemptSeconds = config.ATTEMPT_TIMEOUT_MS / 1000;
  const retentionSeconds = config.RETENTION_DAYS * daySeconds;
  const delays = config.RETRY_SCHEDULE_SECONDS.reduce((sum, delay) => sum + delay, 0);
  const attempts = config.RETRY_SCHEDULE_SECONDS.length + 1;
  const scheduleSeconds = Math.ceil(delays * longestJitter + attempts * attemptSeconds);
  const problems: [keyof Durations, string][] = [];
  if (retentionSeconds < scheduleSeconds)
    problems.push([
      'RETENTION_DAYS',
      `must be at least the whole retry schedule, ${Math.ceil(scheduleSeconds / daySeconds)}: otherwise deliveries are dropped before their last attempt`,
    ]);
  if (retentionSeconds < config.EVENTS_MAX_AGE_SECONDS)
    problems.push([
      'RETENTION_DAYS',
      'must be at least EVENTS_MAX_AGE_SECONDS: otherwise events of the stream are older than the deliveries that are kept',
    ]);
  return problems;
}
