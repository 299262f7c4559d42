import { useQuery } from '@tanstack/react-query';
import { request } from './graphql.js';
import { ContactProperties, type ContactPropertiesQuery } from './properties.graphql.js';

export type Property = NonNullable<ContactPropertiesQuery['contactProperties']>[number];

const none: readonly Property[] = [];

/** The first hundred properties that the workspace defines. */
export function useProperties(): { properties: readonly Property[]; isLoading: boolean } {
  const { data, isPending } = useQuery({
    queryKey: ['contact-properties'],
    queryFn: ({ signal }) => request(ContactProperties, {}, signal),
  });
  return { properties: data?.contactProperties ?? none, isLoading: isPending };
}
