import type { TestGateway } from '../../test-gateway.js';

/** Number of open subscriptions, from the metrics of the gateway. */
export async function openSubscriptions({ metrics }: TestGateway): Promise<number | undefined> {
  const { values } = await metrics.getSingleMetric('roster_graphql_subscriptions')!.get();
  return values[0]?.value;
}
