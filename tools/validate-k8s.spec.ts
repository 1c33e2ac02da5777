import { validateManifests } from './validate-k8s.cjs';

const deployment = `
apiVersion: apps/v1
kind: Deployment
metadata: { name: calendar, labels: { any: thing } }
spec:
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

describe('manifests', () => {
  it('pass when they follow schema and house rules', () => {
    expect(validateManifests(deployment)).toEqual({ objects: ['Deployment/calendar'], problems: [] });
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
  ])('fail when %s becomes "%s"', (rule, instead, problem) => {
    expect(validateManifests(deployment.replace(rule, instead)).problems).toEqual([`Deployment/calendar: ${problem}`]);
  });

  it('fail for a kind without a schema and for broken YAML', () => {
    expect(validateManifests('apiVersion: apps/v1\nkind: Deploiment\n').problems).toEqual([
      'Deploiment/undefined: no schema for apps/v1 Deploiment',
    ]);
    expect(validateManifests('a: [').problems).not.toEqual([]);
  });
});
