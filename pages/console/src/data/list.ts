import {
  keepPreviousData,
  useInfiniteQuery,
  useQueryClient,
  type InfiniteData,
} from '@tanstack/react-query';
import { useMemo } from 'react';

export interface ListPage<Row> {
  nodes: Row[];
  endCursor: string | null;
  hasNextPage: boolean;
}

/** The rows of a list that are loaded, and how to load more. */
export interface List<Row> {
  count: number;
  at: (index: number) => Row | undefined;
  /** Among the rows that are loaded. */
  find: (id: string | undefined) => Row | undefined;
  hasMore: boolean;
  loadMore: () => void;
  /** The first page is not there yet. */
  isLoading: boolean;
  /** The rows are those of the former list, until the first page of this one is there. */
  isFormer: boolean;
  isLoadingMore: boolean;
  error: Error | null;
  /** Reads the list from its start. */
  reload: () => void;
  /** Replaces rows where they are: lists do not move under the reader. Rows that stay the same object are not rendered again. */
  change: (change: (row: Row) => Row) => void;
  replace: (id: string, change: (row: Row) => Row) => void;
  remove: (id: string) => void;
}

interface ListOptions<Row> {
  queryKey: readonly unknown[];
  readPage: (after: string | null, signal: AbortSignal) => Promise<ListPage<Row>>;
  enabled?: boolean;
  /** Whether the rows of the former key are shown meanwhile: for other filters of the same things. */
  keepsFormer?: boolean;
}

/** Reads a list page by page. Pages that are loaded are not read again by themselves. */
export function useList<Row extends { id: string }>({
  queryKey,
  readPage,
  enabled = true,
  keepsFormer = false,
}: ListOptions<Row>): List<Row> {
  const client = useQueryClient();
  const query = useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam, signal }) => readPage(pageParam, signal),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => (page.hasNextPage ? page.endCursor : undefined),
    enabled,
    ...(keepsFormer && { placeholderData: keepPreviousData }),
    staleTime: Infinity,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  });
  const { data, error, isPending, hasNextPage, isFetchingNextPage, fetchNextPage } = query;
  const isFormer = query.isPlaceholderData;
  const rows = useMemo(() => indexOf(data?.pages ?? []), [data]);
  const edit = (change: (nodes: Row[]) => Row[]) =>
    client.setQueryData<InfiniteData<ListPage<Row>>>(
      queryKey,
      (old) => old && { ...old, pages: old.pages.map((page) => changed(page, change)) },
    );
  return {
    ...rows,
    find: (id) => data?.pages.flatMap(({ nodes }) => nodes.filter((one) => one.id === id))[0],
    hasMore: hasNextPage && !isFormer,
    loadMore: () => void (isFetchingNextPage || error || fetchNextPage()),
    isLoading: isPending && enabled,
    isFormer,
    isLoadingMore: isFetchingNextPage,
    error,
    reload: () => void client.resetQueries({ queryKey, exact: true }),
    change: (change) =>
      edit((nodes) => {
        const next = nodes.map(change);
        return next.some((one, at) => one !== nodes[at]) ? next : nodes;
      }),
    replace: (id, change) =>
      edit((nodes) =>
        nodes.some((one) => one.id === id)
          ? nodes.map((one) => (one.id === id ? change(one) : one))
          : nodes,
      ),
    remove: (id) =>
      edit((nodes) =>
        nodes.some((one) => one.id === id) ? nodes.filter((one) => one.id !== id) : nodes,
      ),
  };
}

function changed<Row>(page: ListPage<Row>, change: (nodes: Row[]) => Row[]): ListPage<Row> {
  const nodes = change(page.nodes);
  return nodes === page.nodes ? page : { ...page, nodes };
}

/** Finds a row by its index without copying the pages into one array. */
function indexOf<Row>(pages: readonly ListPage<Row>[]) {
  const starts: number[] = [];
  let count = 0;
  for (const { nodes } of pages) {
    starts.push(count);
    count += nodes.length;
  }
  return {
    count,
    at: (index: number): Row | undefined => {
      let low = 0;
      let high = starts.length - 1;
      while (low < high) {
        const middle = (low + high + 1) >> 1;
        if (starts[middle]! <= index) low = middle;
        else high = middle - 1;
      }
      return pages[low]?.nodes[index - (starts[low] ?? 0)];
    },
  };
}

/** Pages that are read until one has rows. */
const emptyPagesMax = 20;

/** A page of a list whose filter may leave a page empty although others follow: reads on until there is a row. */
export async function filledPage<Row>(
  after: string | null,
  readPage: (after: string | null) => Promise<ListPage<Row>>,
): Promise<ListPage<Row>> {
  let page = await readPage(after);
  for (let read = 1; page.nodes.length === 0 && page.hasNextPage && read < emptyPagesMax; read += 1)
    page = await readPage(page.endCursor);
  return page;
}
