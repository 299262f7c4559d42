import { databaseConfig, eventStreamConfig, flag, processConfig } from '@roster/service';
import ipaddr from 'ipaddr.js';
import { z } from 'zod';

const list = z
  .string()
  .default('')
  .transform((text) =>
    text
      .split(',')
      .map((part) => part.trim())
      .filter((part) => part !== ''),
  );

const ranges = list.refine((all) => all.every((range) => ipaddr.isValidCIDR(range)), {
  error: 'must be CIDR ranges, separated by commas',
});

/** 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h, 24 h. */
const schedule = '5,300,1800,7200,18000,36000,50400,72000,86400';

export const dispatcherConfig = processConfig
  .extend(databaseConfig.shape)
  .extend(eventStreamConfig.shape)
  .extend({
    /** The word in `X-Roster-Signature` and its like. */
    SERVICE_WORD: z
      .string()
      .regex(/^[A-Za-z][A-Za-z0-9-]{0,31}$/)
      .default('Roster'),
    RETRY_SCHEDULE_SECONDS: list
      .default(schedule.split(','))
      .transform((all) => all.map(Number))
      .refine((all) => all.every((delay) => delay > 0), {
        error: 'must be seconds, separated by commas',
      }),
    ATTEMPT_TIMEOUT_MS: z.coerce.number().int().min(100).max(60_000).default(15_000),
    ALLOW_TARGETS: ranges,
    DENY_TARGETS: ranges,
    ALLOW_HTTP: flag.default(false),
    /** Attempts in flight at once, of all webhooks and of one. */
    ATTEMPTS_MAX: z.coerce.number().int().min(1).default(512),
    ATTEMPTS_PER_WEBHOOK_MAX: z.coerce.number().int().min(1).default(32),
    /** Fresh deliveries of one webhook that may wait in memory for a slot; further ones wait in PostgreSQL. */
    WAITING_PER_WEBHOOK_MAX: z.coerce.number().int().min(0).default(1024),
    /** How long the circuit of a failing webhook is open at first, and at most. */
    CIRCUIT_OPEN_SECONDS: z.coerce.number().positive().default(5),
    CIRCUIT_OPEN_SECONDS_MAX: z.coerce.number().positive().default(300),
    /** Deliveries of one replay that are queued per second. */
    REPLAY_PER_SECOND: z.coerce.number().int().min(1).default(100),
    /** How often the outcomes of attempts are reported to the webhooks service. */
    HEALTH_REPORT_MS: z.coerce.number().int().min(10).default(5000),
    /** How long a claimed delivery belongs to one process. Longer than an attempt takes. */
    LEASE_SECONDS: z.coerce.number().int().min(1).default(60),
    RETENTION_DAYS: z.coerce.number().int().min(1).default(30),
  });
