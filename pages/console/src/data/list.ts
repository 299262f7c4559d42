import { useInfiniteQuery, useQueryClient, type InfiniteData } from '@tanstack/react-query';
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
  isLoadingMore: boolean;
  error: Error | null;
  /** Reads the list from its start. */
  reload: () => void;
  /** Replaces a row where it is: lists do not move under the reader. */
  replace: (id: string, change: (row: Row) => Row) => void;
  remove: (id: string) => void;
}

interface ListOptions<Row> {
  queryKey: readonly unknown[];
  readPage: (after: string | null, signal: AbortSignal) => Promise<ListPage<Row>>;
  enabled?: boolean;
}

/** Reads a list page by page. Pages that are loaded are not read again by themselves. */
export function useList<Row extends { id: string }>({
  queryKey,
  readPage,
  enabled = true,
}: ListOptions<Row>): List<Row> {
  const client = useQueryClient();
  const query = useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam, signal }) => readPage(pageParam, signal),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => (page.hasNextPage ? page.endCursor : undefined),
    enabled,
    staleTime: Infinity,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  });
  const { data, error, isPending, hasNextPage, isFetchingNextPage, fetchNextPage } = query;
  const rows = useMemo(() => indexOf(data?.pages ?? []), [data]);
  const edit = (change: (nodes: Row[]) => Row[]) =>
    client.setQueryData<InfiniteData<ListPage<Row>>>(
      queryKey,
      (old) => old && { ...old, pages: old.pages.map((page) => changed(page, change)) },
    );
  return {
    ...rows,
    find: (id) => data?.pages.flatMap(({ nodes }) => nodes.filter((one) => one.id === id))[0],
    hasMore: hasNextPage,
    loadMore: () => void (isFetchingNextPage || error || fetchNextPage()),
    isLoading: isPending && enabled,
    isLoadingMore: isFetchingNextPage,
    error,
    reload: () => void client.resetQueries({ queryKey, exact: true }),
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
