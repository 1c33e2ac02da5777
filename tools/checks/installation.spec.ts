import { problemsOfInstallation } from './installation.mjs';

const overlay = `
apiVersion: v1
kind: ConfigMap
metadata: { name: groupware-settings-abc, annotations: { groupware/max-connections: '100' } }
data:
  DATABASE_POOL_SIZE: '8'
  GATEWAY_COOKIE_SECURE: always
  GATEWAY_MAX_UPLOAD_BYTES: '104857600'
  GATEWAY_TRUSTED_PROXIES: 10.0.0.0/8
---
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata:
  name: groupware
  annotations:
    nginx.ingress.kubernetes.io/proxy-body-size: 110m
    nginx.ingress.kubernetes.io/proxy-read-timeout: '900'
spec: { ingressClassName: nginx, tls: [{ hosts: [a.example] }] }
---
apiVersion: apps/v1
kind: Deployment
metadata: { name: calendar-service, labels: { app.kubernetes.io/component: calendar } }
spec:
  strategy: { rollingUpdate: { maxSurge: 1 } }
  template:
    spec:
      containers:
        - env:
            - { name: NATS_URL, valueFrom: { secretKeyRef: { key: calendar } } }
            - { name: GROUPWARE_PRINCIPAL_PUBLIC_KEYS, valueFrom: { secretKeyRef: { key: principal-public-keys } } }
---
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: { name: calendar-service }
spec: { scaleTargetRef: { name: calendar-service }, maxReplicas: 4, metrics: [{ type: Pods }] }
---
apiVersion: apps/v1
kind: Deployment
metadata: { name: gateway-service, labels: { app.kubernetes.io/component: gateway } }
spec:
  strategy: { rollingUpdate: { maxSurge: 1 } }
  template:
    spec:
      containers:
        - env:
            - { name: NATS_URL, valueFrom: { secretKeyRef: { key: gateway } } }
            - { name: GROUPWARE_PRINCIPAL_PUBLIC_KEYS, valueFrom: { secretKeyRef: { key: principal-public-keys } } }
            - { name: GROUPWARE_PRINCIPAL_KEY, valueFrom: { secretKeyRef: { key: principal-key } } }
---
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: { name: gateway-service }
spec: { scaleTargetRef: { name: gateway-service }, maxReplicas: 2, metrics: [{ type: Resource }, { type: Pods }] }
`;
const problems = (text: string): string[] => problemsOfInstallation(text, ['calendar']);

describe('an installation on Kubernetes', () => {
  it('passes when its parts fit', () => {
    expect(problems(overlay)).toEqual([]);
  });

  // 5 pods of calendar with 8 + 3 connections each, 3 of the gateway with 3, 20 for others.
  it.each([
    ["max-connections: '100'", "max-connections: '83'", 'may need 84 connections of Postgres, which has 83'],
    ['maxReplicas: 4', 'maxReplicas: 6', 'may need 106 connections of Postgres, which has 100'],
    ['DATABASE_POOL_SIZE', 'OTHER', 'says neither groupware/max-connections nor DATABASE_POOL_SIZE'],
    ['GATEWAY_TRUSTED_PROXIES', 'OTHER', 'GATEWAY_TRUSTED_PROXIES does not name the ingress controller'],
    ['COOKIE_SECURE: always', 'COOKIE_SECURE: auto', 'cookies are not always Secure'],
    ['\ndata:', "\ndata:\n  GROUPWARE_DEMO: 'true'", 'makes a demo context'],
    ['\ndata:', '\ndata:\n  REDIS_URL: rediss://a:b@redis', 'REDIS_URL belongs into a secret'],
    [
      '110m',
      '100m',
      'Ingress/groupware: takes smaller bodies than the gateway (proxy-body-size, GATEWAY_MAX_UPLOAD_BYTES)',
    ],
    ["'900'", "'30'", 'Ingress/groupware: gives up calls before the gateway does'],
    ['ingressClassName: nginx, ', '', 'Ingress/groupware: has no class'],
    [', tls: [{ hosts: [a.example] }]', '', 'Ingress/groupware: has no TLS'],
    ['key: calendar }', 'key: tasks }', 'Deployment/calendar-service: does not log in to NATS as itself'],
    ['PUBLIC_KEYS', 'KEYS', 'Deployment/calendar-service: cannot check who calls'],
    [
      'GROUPWARE_PRINCIPAL_KEY,',
      'OTHER,',
      'Deployment/gateway-service: is the gateway and cannot sign, or can sign and is not',
    ],
    ['name: calendar-service }, maxR', 'name: other }, maxR', 'Deployment/calendar-service: has no autoscaler'],
    [
      'metrics: [{ type: Pods }]',
      'metrics: [{ type: Resource }]',
      'Deployment/calendar-service: is not scaled for its work, as others are',
    ],
    ['groupware-settings-abc', 'others', 'there is no ConfigMap groupware-settings'],
  ])('fails when %s becomes "%s"', (good, bad, problem) => {
    expect(overlay).toContain(good);
    expect(problems(overlay.replace(good, bad))).toEqual([problem]);
  });
});
