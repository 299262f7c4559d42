import { comparisons, type ComparisonName } from './comparisons.js';
import { leakOf } from './leak-of.js';

// A process of its own for each comparison: no other code has been compiled for other types, and none runs beside it.
console.log(leakOf(comparisons[process.argv[2] as ComparisonName]));
