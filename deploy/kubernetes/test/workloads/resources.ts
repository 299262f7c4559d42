import type { IContainer } from 'kubernetes-models/v1';

import type { Manifests } from '../build/manifests.js';
import { containersOf, podsOf } from '../build/pods.js';
import { environmentOf } from '../processes/environment.js';
import { finding } from '../objects/finding.js';
import { parseQuantity } from './quantity.js';

/** Memory of Node outside V8's old generation: young generation, buffers, code, thread stacks. */
const heapShareMax = 0.5;

/** Missing or contradictory requests and limits, and heaps that do not fit their container. */
export function resourceFindings(manifests: Manifests): string[] {
  return podsOf(manifests)
    .filter(({ byOperator }) => !byOperator)
    .flatMap((pods) =>
      containersOf(pods).flatMap((container) =>
        [...bounds(container), ...heap(manifests, container)].map(([field, problem]) =>
          finding(
            pods.manifest,
            `${pods.field}.spec.containers[${container.name}].${field}`,
            problem,
          ),
        ),
      ),
    );
}

type Problem = [field: string, problem: string];

function bounds({ resources }: IContainer): Problem[] {
  const { requests = {}, limits = {} } = resources ?? {};
  const needed: [string, string | number | undefined][] = [
    ['requests.cpu', requests.cpu],
    ['requests.memory', requests.memory],
    ['limits.memory', limits.memory],
  ];
  return [
    ...needed
      .filter(([, quantity]) => !(parseQuantity(quantity) > 0))
      .map(([field, quantity]): Problem => [
        `resources.${field}`,
        quantity === undefined ? 'is missing.' : `is ${quantity}, which is not a quantity.`,
      ]),
    ...Object.keys(limits)
      .filter((name) => parseQuantity(requests[name]) > parseQuantity(limits[name]))
      .map((name): Problem => [
        `resources.requests.${name}`,
        `is ${requests[name]}, above the limit of ${limits[name]}.`,
      ]),
  ];
}

function heap(manifests: Manifests, container: IContainer): Problem[] {
  const runsNode = container.image?.split(/[:@]/)[0]?.split('/').at(-1) === 'roster';
  if (!runsNode) return [];
  const options = environmentOf(manifests, container).find(({ name }) => name === 'NODE_OPTIONS');
  const { command = [], args = [] } = container;
  const flags = [...command, ...args, options?.value].join(' ');
  const megabytes = Number(/--max-old-space-size=(\d+)/.exec(flags)?.[1]);
  const limit = container.resources?.limits?.memory;
  const limitMegabytes = parseQuantity(limit) / 2 ** 20;
  if (Number.isNaN(megabytes)) {
    return [
      [
        'env',
        'has no NODE_OPTIONS with --max-old-space-size: Node would derive its heap from the limit.',
      ],
    ];
  }
  return Number.isNaN(limitMegabytes) || megabytes <= heapShareMax * limitMegabytes
    ? []
    : [
        [
          'env',
          `allows a heap of ${megabytes} MiB, more than ${heapShareMax * 100} % of the limit of ${limit}.`,
        ],
      ];
}
