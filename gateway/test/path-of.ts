import type { Operation } from '@roster/contracts';
import { pathIds } from './stub-services.js';

/** An operation's path in REST, with an id that the stubs know. */
export const pathOf = ({ http }: Pick<Operation, 'http'>): string =>
  http!.path.replaceAll(/\{(\w+)\}/g, (_, field: string) => pathIds[field]!);
