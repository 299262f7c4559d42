import { IdClock } from '@roster/process';
import { momentId } from '../delivery/delivery.js';

const ids = new IdClock();

/** A raw ID with this time, in milliseconds since the epoch. */
export const idAt = (ms: number): string => momentId(ms).slice(0, 14) + ids.next().slice(14);
