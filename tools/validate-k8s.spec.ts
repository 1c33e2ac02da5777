import { validateManifests } from './validate-k8s.cjs';

const deployment = `
apiVersion: apps/v1
kind: Deployment
metadata: { name: calendar, labels: { any: thing } }
spec:
  replicas: 2
  selector: { matchLabels: { app: calendar } }
  template:
    metadata: { labels: { app: calendar } }
    spec:
      automountServiceAccountToken: false
      terminationGracePeriodSeconds: 40
      securityContext: { runAsNonRoot: true, seccompProfile: { type: RuntimeDefault } }
      containers:
        - name: service
          image: groupware/service
          startupProbe: { httpGet: { path: /live, port: 8081 } }
          livenessProbe: { httpGet: { path: /live, port: 8081 } }
          readinessProbe: { httpGet: { path: /ready, port: 8081 } }
          resources: { requests: { cpu: 100m, memory: 192Mi }, limits: { memory: 512Mi } }
          securityContext: { allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop: [ALL] } }
`;
const company = `
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: { name: calendar }
spec: { maxUnavailable: 1, selector: { matchLabels: { app: calendar } } }
---
apiVersion: v1
kind: Service
metadata: { name: calendar }
spec: { selector: { app: calendar }, ports: [{ port: 8081 }] }
---
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: { name: all }
spec: { podSelector: {}, policyTypes: [Ingress, Egress] }
`;
const scaler = `
---
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: { name: calendar }
spec: { scaleTargetRef: { apiVersion: apps/v1, kind: Deployment, name: calendar }, minReplicas: 2, maxReplicas: 4 }
`;
const whole = deployment + company;

describe('manifests', () => {
  it('pass when they follow schema and house rules', () => {
    expect(validateManifests(whole)).toEqual({
      objects: ['Deployment/calendar', 'PodDisruptionBudget/calendar', 'Service/calendar', 'NetworkPolicy/all'],
      problems: [],
    });
    expect(validateManifests(whole.replace('  replicas: 2\n', '') + scaler).problems).toEqual([]);
  });

  it('fail for a misspelt field, named with its path', () => {
    const { problems } = validateManifests(deployment.replace('readinessProbe', 'readynessProbe'));
    expect(problems.join('\n')).toContain('unknown field spec.template.spec.containers.0.readynessProbe');
  });

  it('fail for a value of the wrong kind', () => {
    const { problems } = validateManifests(
      deployment.replace('terminationGracePeriodSeconds: 40', 'terminationGracePeriodSeconds: soon'),
    );
    expect(problems.join('\n')).toContain('terminationGracePeriodSeconds');
  });

  it.each([
    ['runAsNonRoot: true', 'runAsNonRoot: false', 'runs as root'],
    ['readOnlyRootFilesystem: true, ', '', 'has a writable root file system'],
    ['drop: [ALL]', 'drop: [KILL]', 'keeps capabilities'],
    ['limits: { memory: 512Mi }', 'limits: {}', 'has no memory limit'],
    [
      'maxUnavailable: 1, selector: { matchLabels: { app: calendar } }',
      'selector: { matchLabels: { app: x } }',
      'has no disruption budget',
    ],
    ['selector: { app: calendar }, ports', 'selector: { app: identity }, ports', 'has no service'],
    ['replicas: 2', 'replicas: 1', 'runs once only'],
    ['[Ingress, Egress]', '[Egress]', 'may be reached by everybody'],
    ['[Ingress, Egress]', '[Ingress]', 'may reach everything'],
    [
      'podSelector: {}, policyTypes: [Ingress, Egress]',
      'podSelector: { matchLabels: { app: x } }, policyTypes: [Egress]',
      'may be reached by everybody\nDeployment/calendar: may reach everything',
    ],
  ])('fail when %s becomes "%s"', (rule, instead, problem) => {
    expect(validateManifests(whole.replace(rule, instead)).problems.join('\n')).toBe(`Deployment/calendar: ${problem}`);
  });

  it('fail when a workload and its autoscaler both say how often it runs', () => {
    expect(validateManifests(whole + scaler).problems).toEqual([
      'Deployment/calendar: has replicas that its autoscaler would fight',
    ]);
  });

  it('hold for jobs, which need neither probes nor company', () => {
    const job = deployment
      .replace('apps/v1', 'batch/v1')
      .replace('kind: Deployment', 'kind: Job')
      .replace('  replicas: 2\n  selector: { matchLabels: { app: calendar } }\n', '')
      .replace(/ {10}\w+Probe: .*\n/g, '')
      .replace('      containers:', '      restartPolicy: Never\n      containers:');
    expect(validateManifests(job + company).problems).toEqual([]);
    expect(validateManifests(job.replace('runAsNonRoot: true', 'runAsNonRoot: false')).problems).toEqual([
      'Job/calendar: runs as root',
      'Job/calendar: may reach everything',
    ]);
  });

  it('fail for a kind without a schema and for broken YAML', () => {
    expect(validateManifests('apiVersion: apps/v1\nkind: Deploiment\n').problems).toEqual([
      'Deploiment/undefined: no schema for apps/v1 Deploiment',
    ]);
    expect(validateManifests('a: [').problems).not.toEqual([]);
  });
});
