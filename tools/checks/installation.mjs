import { parseAllDocuments } from 'yaml';
import { connectionsOfPod, OF_OTHERS } from './connections.mjs';

/**
 * Checks what the objects of an overlay must say together, beyond what each of them must.
 * @param {string} text the rendered overlay
 * @param {readonly string[]} withSchema modules that connect to Postgres
 * @returns {string[]} one sentence per problem
 */
export function problemsOfInstallation(text, withSchema) {
  const objects = parseAllDocuments(text).map((document) => document.toJS() ?? {});
  const settings = objects.find(
    ({ kind, metadata }) => kind === 'ConfigMap' && /^groupware-settings\b/.test(metadata?.name),
  );
  if (!settings) return ['there is no ConfigMap groupware-settings'];
  return [
    ...problemsOfSettings(settings.data ?? {}),
    ...objects
      .filter(({ kind }) => kind === 'Ingress')
      .flatMap((ingress) => problemsOfIngress(ingress, settings.data ?? {})),
    ...problemsOfConnections(objects, settings, withSchema),
    ...problemsOfModules(objects),
  ];
}

/** The module of a workload. */
const moduleOf = ({ metadata }) => metadata?.labels?.['app.kubernetes.io/component'];

/** Checks what lists that name modules one by one must say of each of them. */
function problemsOfModules(objects) {
  const scalers = objects.filter(({ kind }) => kind === 'HorizontalPodAutoscaler');
  const hasWork = ({ spec }) => spec.metrics?.some(({ type }) => type === 'Pods');
  return objects
    .filter(({ kind }) => kind === 'Deployment')
    .flatMap((deployment) => {
      const { name } = deployment.metadata;
      const module = moduleOf(deployment);
      const variables = deployment.spec.template?.spec?.containers?.[0]?.env ?? [];
      const keyOf = (variable) => variables.find((each) => each.name === variable)?.valueFrom?.secretKeyRef?.key;
      const scaler = scalers.find(({ spec }) => spec.scaleTargetRef.name === name);
      const rules = {
        'does not log in to NATS as itself': keyOf('NATS_URL') === module,
        'cannot check who calls': keyOf('GROUPWARE_PRINCIPAL_PUBLIC_KEYS') === 'principal-public-keys',
        'is the gateway and cannot sign, or can sign and is not':
          (keyOf('GROUPWARE_PRINCIPAL_KEY') !== undefined) === (module === 'gateway'),
        'has no autoscaler': scaler !== undefined,
        'is not scaled for its work, as others are': !scaler || !scalers.some(hasWork) || hasWork(scaler),
      };
      return Object.entries(rules).flatMap(([problem, holds]) => (holds ? [] : [`Deployment/${name}: ${problem}`]));
    });
}

function problemsOfSettings(data) {
  const problems = [];
  if (!data.GATEWAY_TRUSTED_PROXIES) problems.push('GATEWAY_TRUSTED_PROXIES does not name the ingress controller');
  if (data.GATEWAY_COOKIE_SECURE !== 'always') problems.push('cookies are not always Secure');
  if (data.GROUPWARE_DEMO !== undefined && data.GROUPWARE_DEMO !== 'false') problems.push('makes a demo context');
  for (const [name, value] of Object.entries(data))
    if (/(PASSWORD|SECRET|KEY)$/.test(name) || /:\/\/[^/\s]*@/.test(value))
      problems.push(`${name} belongs into a secret`);
  return problems;
}

const UNITS = { '': 1, k: 2 ** 10, m: 2 ** 20, g: 2 ** 30 };

/** Bytes of a size as nginx writes it, such as `110m`. */
function bytesOf(size = '') {
  const [, count, unit] = /^(\d+)([kmg]?)$/.exec(size) ?? [];
  return Number(count ?? 0) * UNITS[unit ?? ''];
}

function problemsOfIngress({ metadata, spec }, data) {
  const problems = [];
  const annotation = (name) => metadata.annotations?.[`nginx.ingress.kubernetes.io/${name}`];
  if (!spec.ingressClassName) problems.push('has no class');
  if (!spec.tls?.length) problems.push('has no TLS');
  if (bytesOf(annotation('proxy-body-size')) <= Number(data.GATEWAY_MAX_UPLOAD_BYTES))
    problems.push('takes smaller bodies than the gateway (proxy-body-size, GATEWAY_MAX_UPLOAD_BYTES)');
  if (!(Number(annotation('proxy-read-timeout')) > 30)) problems.push('gives up calls before the gateway does');
  return problems.map((problem) => `Ingress/${metadata.name}: ${problem}`);
}

/** All pods that there can be at once, in the middle of a roll-out, need no more connections than Postgres has. */
function problemsOfConnections(objects, { data, metadata }, withSchema) {
  const given = Number(metadata.annotations?.['groupware/max-connections']);
  const pool = Number(data.DATABASE_POOL_SIZE);
  if (!given || !pool) return ['says neither groupware/max-connections nor DATABASE_POOL_SIZE'];
  const needed = objects
    .filter(({ kind }) => kind === 'Deployment')
    .map(({ metadata: { name, labels }, spec }) => {
      const scaler = objects.find(
        (each) => each.kind === 'HorizontalPodAutoscaler' && each.spec.scaleTargetRef.name === name,
      );
      const pods = (scaler?.spec.maxReplicas ?? spec.replicas) + Number(spec.strategy?.rollingUpdate?.maxSurge ?? 1);
      const hasSchema = withSchema.includes(labels?.['app.kubernetes.io/component']);
      return pods * connectionsOfPod(hasSchema, pool);
    })
    .reduce((sum, each) => sum + each, OF_OTHERS);
  return needed > given ? [`may need ${needed} connections of Postgres, which has ${given}`] : [];
}
