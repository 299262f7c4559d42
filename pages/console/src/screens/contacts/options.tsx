import { useQuery } from '@tanstack/react-query';
import { request } from '../../data/graphql.js';
import { PropertyValues, TagNames } from './options.graphql.js';

interface OptionsProps {
  id: string;
  /** What they begin with; undefined until the reader is in the field. */
  typed: string | undefined;
}

interface TagOptionsProps extends OptionsProps {
  /** Those that would change nothing. */
  except?: readonly string[];
}

/** The tags of the workspace that begin with what is typed, for the `list` of a field. */
export function TagOptions({ id, typed, except = [] }: TagOptionsProps) {
  const { data } = useOptions(['tag-names'], typed, 64, (prefix, signal) =>
    request(TagNames, { prefix }, signal),
  );
  const names = data?.tags?.nodes.map(({ name }) => name) ?? [];
  return <Options id={id} values={names.filter((name) => !except.includes(name))} />;
}

/** Values of a property that begin with what is typed. */
export function ValueOptions({ id, typed, property }: OptionsProps & { property: string }) {
  const { data } = useOptions(['property-values', property], typed, 256, (prefix, signal) =>
    request(PropertyValues, { property, prefix }, signal),
  );
  return <Options id={id} values={data?.propertyValues?.map(({ value }) => value) ?? []} />;
}

const useOptions = <Result,>(
  queryKey: readonly string[],
  typed: string | undefined,
  charactersMax: number,
  read: (prefix: string | null, signal: AbortSignal) => Promise<Result>,
) =>
  useQuery({
    queryKey: [...queryKey, typed],
    queryFn: ({ signal }) => read(typed || null, signal),
    enabled: typed !== undefined && typed.length <= charactersMax,
    placeholderData: (former) => former,
  });

const Options = ({ id, values }: { id: string; values: readonly string[] }) => (
  <datalist id={id}>
    {values.map((value) => (
      <option key={value} value={value} />
    ))}
  </datalist>
);
