import { operationsByTag, resolved, slugOf, type Parameter } from './openapi.js';
import type { Site } from './frame.js';

/** A section that the search finds: its address below `/docs`, its title, what it is a part of, and its text. */
export type SearchEntry = [href: string, title: string, part: string, text: string];

/** The sections of all guides, and the operations of the reference. */
export function searchIndexOf({ guides, openapi }: Site): SearchEntry[] {
  const sections = guides.flatMap(({ slug, label, sections }) =>
    sections.map(({ id, title, text }): SearchEntry => {
      const page = slug === '' ? '' : `guides/${slug}`;
      return [page + (id && `#${id}`), title, label, text.replaceAll(/\s+/g, ' ').trim()];
    }),
  );
  const operations = [...operationsByTag(openapi)].flatMap(([tag, all]) =>
    all.map(({ method, path, operation }): SearchEntry => {
      const parameters = (operation.parameters ?? []).map(
        (one) => resolved<Parameter>(openapi, one).name,
      );
      const { operationId, summary, description } = operation;
      return [
        `reference/${slugOf(tag)}#${operationId}`,
        summary,
        method === 'EVENT' ? path : `${method} ${path}`,
        [description, operationId, ...parameters].join(' '),
      ];
    }),
  );
  return [...sections, ...operations];
}
