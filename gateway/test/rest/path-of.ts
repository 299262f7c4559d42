import type { Operation } from '@roster/contracts';
import { pathIds } from '../stub-results.js';

/** REST path of an operation, with an ID that the stubs know. */
export const pathOf = ({ http }: Pick<Operation, 'http'>): string =>
  http!.path.replaceAll(/\{(\w+)\}/g, (_, field: string) => pathIds[field]!);
