import { useQuery } from '@tanstack/react-query';
import { request } from '../../data/graphql.js';
import { TagNames } from './tag-options.graphql.js';

interface TagOptionsProps {
  id: string;
  /** What the tag begins with; undefined until the reader is in the field. */
  typed: string | undefined;
  /** Those that would change nothing. */
  except?: readonly string[];
}

const charactersMax = 64;

/** The tags of the workspace that begin with what is typed, for the `list` of a field. */
export function TagOptions({ id, typed, except = [] }: TagOptionsProps) {
  const { data } = useQuery({
    queryKey: ['tag-names', typed],
    queryFn: ({ signal }) => request(TagNames, { prefix: typed || null }, signal),
    enabled: typed !== undefined && typed.length <= charactersMax,
    placeholderData: (former) => former,
  });
  return (
    <datalist id={id}>
      {data?.tags?.nodes
        .filter(({ name }) => !except.includes(name))
        .map(({ name }) => (
          <option key={name} value={name} />
        ))}
    </datalist>
  );
}
