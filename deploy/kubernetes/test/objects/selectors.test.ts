import { variant } from '../build/variants.js';
import { selectorFindings } from './selectors.js';
import { set, testFaults } from '../faults.js';

testFaults(selectorFindings, [
  {
    what: 'a Service without pods',
    change: set('Service gateway', 'spec.selector', { 'app.kubernetes.io/name': 'api' }),
    findings: [
      'Service gateway (base/gateway/service.yaml): spec.selector selects app.kubernetes.io/name=api, which no pod has.',
    ],
  },
  {
    what: 'a Deployment whose selector does not match its own pods',
    change: set('Deployment gateway', 'spec.selector.matchLabels', { app: 'gateway' }),
    findings: [
      'Deployment gateway (base/gateway/deployment.yaml): spec.selector selects app=gateway, which its own template lacks.',
    ],
  },
  {
    what: 'a PodDisruptionBudget without pods',
    change: set('PodDisruptionBudget gateway', 'spec.selector.matchLabels', { app: 'gateway' }),
    findings: [
      'PodDisruptionBudget gateway (base/gateway/pod-disruption-budget.yaml): spec.selector selects app=gateway, which no pod has.',
    ],
  },
  {
    what: 'a NetworkPolicy without pods',
    change: set('NetworkPolicy gateway', 'spec.podSelector.matchLabels', { app: 'gateway' }),
    findings: [
      'NetworkPolicy gateway (base/gateway/network-policy.yaml): spec.podSelector selects app=gateway, which no pod has.',
    ],
  },
  {
    what: 'a NetworkPolicy whose peers match no pod',
    change: set('NetworkPolicy gateway', 'spec.ingress.0.from', [
      { podSelector: { matchExpressions: [{ key: 'app', operator: 'In', values: ['proxy'] }] } },
    ]),
    findings: [
      'NetworkPolicy gateway (base/gateway/network-policy.yaml): the podSelector of a peer selects app In (proxy), which no pod has.',
    ],
  },
  {
    what: 'a spread over pods of another workload',
    change: set(
      'Deployment gateway',
      'spec.template.spec.topologySpreadConstraints.0.labelSelector.matchLabels',
      { app: 'gateway' },
    ),
    findings: [
      'Deployment gateway (base/gateway/deployment.yaml): spec.template.spec.topologySpreadConstraints selects app=gateway, which its own template lacks.',
    ],
  },
  {
    what: 'a PodMonitor without pods',
    of: variant('overlays/demo', ['monitoring']),
    change: set('PodMonitor roster', 'spec.selector', { matchLabels: { app: 'roster' } }),
    findings: [
      'PodMonitor roster (components/monitoring/pod-monitors/roster.yaml): spec.selector selects app=roster, which no pod has.',
    ],
  },
]);
