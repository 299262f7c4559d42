import ipaddr from 'ipaddr.js';
import { z } from 'zod';
import { commaList, flag } from '../config.js';
import { TargetPolicy } from './target-policy.js';

const ranges = commaList.refine((all) => all.every((range) => ipaddr.isValidCIDR(range)), {
  error: 'must be CIDR ranges, separated by commas',
});

/** IP addresses and CIDR ranges. */
export const addressRanges = commaList.refine(
  (all) => all.every((one) => isAddress(one) || ipaddr.isValidCIDR(one)),
  { error: 'must be IP addresses or CIDR ranges, separated by commas' },
);

const isAddress = (text: string): boolean =>
  ipaddr.IPv4.isValidFourPartDecimal(text) || ipaddr.IPv6.isValid(text);

/** The allowed targets, for the service that stores webhooks and the one that sends to them. */
export const targetConfig = z.object({
  ALLOW_TARGETS: ranges,
  DENY_TARGETS: ranges,
  ALLOW_HTTP: flag.default(false),
  /** Ports of targets that are allowed in addition to 80, 443 and those from 1024. */
  ALLOW_PORTS: commaList
    .transform((all) => all.map(Number))
    .refine((all) => all.every((port) => Number.isInteger(port) && port > 0 && port < 65_536), {
      error: 'must be ports, separated by commas',
    }),
});

/** @param closedPorts see `TargetRules` */
export const targetPolicyOf = (
  config: z.output<typeof targetConfig>,
  closedPorts: readonly number[] = [],
): TargetPolicy =>
  new TargetPolicy({
    allow: config.ALLOW_TARGETS,
    deny: config.DENY_TARGETS,
    allowHttp: config.ALLOW_HTTP,
    allowPorts: config.ALLOW_PORTS,
    closedPorts,
  });
