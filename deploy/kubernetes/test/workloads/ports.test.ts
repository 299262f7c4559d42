import { variant } from '../build/variants.js';
import { portFindings } from './ports.js';
import { production, set, testFaults } from '../faults.js';

const container = 'spec.template.spec.containers.0';

testFaults(portFindings, [
  {
    what: 'a probe on a port that the container does not open',
    change: set('Deployment gateway', `${container}.livenessProbe.httpGet.port`, 'health'),
    findings: [
      'Deployment gateway (base/gateway/deployment.yaml): spec.template.spec.containers[roster].livenessProbe uses port health, which the container does not open.',
    ],
  },
  {
    what: 'a probe on a number that the container does not open',
    change: set('StatefulSet nats', `${container}.readinessProbe.httpGet.port`, 8223),
    findings: [
      'StatefulSet nats (components/single-node/nats.yaml): spec.template.spec.containers[nats].readinessProbe uses port 8223, which the container does not open.',
    ],
  },
  {
    what: 'a Service to a port that its pods do not open',
    change: set('Service gateway', 'spec.ports.0.targetPort', 8081),
    findings: [
      'Service gateway (base/gateway/service.yaml): spec.ports[http].targetPort is 8081, which no container of Deployment gateway opens.',
    ],
  },
  {
    what: 'a NetworkPolicy that allows a port that no container opens',
    change: set('NetworkPolicy gateway', 'spec.ingress.0.ports.0.port', 'https'),
    findings: [
      'NetworkPolicy gateway (base/gateway/network-policy.yaml): spec.ingress.ports name port https, which none of the pods opens.',
    ],
  },
  {
    what: 'an HTTPRoute to a port that the Service does not have',
    of: production,
    change: set('HTTPRoute gateway', 'spec.rules.0.backendRefs.0.port', 8080),
    findings: [
      'HTTPRoute gateway (components/gateway-api/http-route.yaml): a backend names port 8080, which Service gateway does not have.',
    ],
  },
  {
    what: 'an Ingress to a port that the Service does not have',
    of: variant('overlays/demo', ['ingress']),
    change: set('Ingress gateway', 'spec.rules.0.http.paths.0.backend.service.port', {
      number: 8080,
    }),
    findings: [
      'Ingress gateway (components/ingress/ingress.yaml): a backend names port 8080, which Service gateway does not have.',
    ],
  },
  {
    what: 'a PodMonitor on a port that the pods do not open',
    of: variant('overlays/demo', ['monitoring']),
    change: set('PodMonitor roster', 'spec', {
      selector: { matchLabels: { 'app.kubernetes.io/name': 'gateway' } },
      podMetricsEndpoints: [{ port: 'metrics' }],
    }),
    findings: [
      'PodMonitor roster (components/monitoring/pod-monitors/roster.yaml): spec.podMetricsEndpoints name port metrics, which no container of Deployment gateway opens.',
    ],
  },
]);
