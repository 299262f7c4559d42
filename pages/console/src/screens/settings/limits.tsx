import { Details } from '../../parts/details.js';
import { Section } from './section.js';
import type { SettingsQuery } from './settings.graphql.js';

type Meta = NonNullable<SettingsQuery['meta']>;

/** What this installation allows, and how long it keeps things. */
export const Limits = ({ meta: { limits, ...meta } }: { meta: Meta }) => (
  <Section title="Limits" about="What this installation allows in one workspace.">
    <Details
      of={{
        'API keys': limits.apiKeys.toLocaleString(),
        Webhooks: limits.webhooks.toLocaleString(),
        Properties: `${limits.propertyDefinitions.toLocaleString()} definitions, ${limits.contactProperties.toLocaleString()} in a contact (${(limits.contactPropertyBytes / 1024).toLocaleString()} KiB)`,
        Tags: `${limits.contactTags.toLocaleString()} of a contact`,
        Origins: limits.origins.toLocaleString(),
        Batches: `${limits.batchOperations.toLocaleString()} operations`,
        Deliveries: `kept for ${meta.deliveryRetentionDays} days`,
        Events: `kept for ${Math.round(meta.eventRetentionSeconds / 86_400)} days`,
        'Sent from': meta.deliveryAddresses?.join(', '),
      }}
    />
  </Section>
);
