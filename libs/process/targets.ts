export { knownAddresses, literalAddress } from './targets/known-addresses.js';
export { addressRanges, targetConfig, targetPolicyOf } from './targets/target-config.js';
export { portOf, special, TargetPolicy, type TargetRules } from './targets/target-policy.js';
