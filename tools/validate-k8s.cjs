const { parseAllDocuments } = require('yaml');

/**
 * Validates Kubernetes manifests without a cluster. The API's schemas come precompiled with kubernetes-models. They let
 * unknown fields pass, so that a misspelt name would go unnoticed: every field that the validator never looked at is
 * reported as unknown.
 * @param {string} text one or more YAML documents
 * @returns {{ objects: string[], problems: string[] }} names of the objects, and one sentence per problem
 */
function validateManifests(text) {
  const objects = [];
  const problems = [];
  const all = [];
  for (const document of parseAllDocuments(text)) {
    problems.push(...document.errors.map(({ message }) => message));
    const object = document.toJS();
    if (!object) continue;
    const name = `${object.kind}/${object.metadata?.name}`;
    objects.push(name);
    all.push(object);
    problems.push(...[...problemsOfSchema(object), ...problemsOfHouse(object)].map((problem) => `${name}: ${problem}`));
  }
  problems.push(...all.flatMap((object) => problemsOfCompany(object, all)));
  return { objects, problems };
}

/** Kinds of operators that kubernetes-models has no schemas of; their content is checked against the names of metrics. */
const isOfOperator = ({ apiVersion = '' }) => apiVersion.startsWith('monitoring.coreos.com/');

function problemsOfSchema(object) {
  if (isOfOperator(object)) return [];
  const Model = modelFor(object);
  if (!Model) return [`no schema for ${object.apiVersion} ${object.kind}`];
  const seen = [];
  try {
    Model.prototype.validate.call(watched(object, '', seen));
  } catch (error) {
    return [error.message];
  }
  return seen
    .filter(({ whole, keys }) => !whole && keys.size)
    .flatMap(({ value, keys, path }) =>
      Object.keys(value)
        .filter((key) => !keys.has(key))
        .map((key) => `unknown field ${path.slice(1)}${path ? '.' : ''}${key}`),
    );
}

function modelFor({ apiVersion = '', kind = '' }) {
  try {
    return require(`kubernetes-models/${apiVersion}/${kind}`)[kind];
  } catch {
    return undefined;
  }
}

/** A view of a value that notes which of its fields are read. */
function watched(value, path, seen) {
  if (value === null || typeof value !== 'object') return value;
  const node = { path, keys: new Set(), whole: Array.isArray(value), value };
  seen.push(node);
  const inner = new Map();
  return new Proxy(value, {
    get(target, key) {
      if (typeof key === 'symbol') return target[key];
      node.keys.add(key);
      if (!Object.hasOwn(target, key)) return target[key];
      if (!inner.has(key)) inner.set(key, watched(target[key], `${path}.${key}`, seen));
      return inner.get(key);
    },
    ownKeys(target) {
      node.whole = true; // a map, such as labels
      return Reflect.ownKeys(target);
    },
  });
}

/** Checks what we want of every workload, beyond what the schema wants. */
function problemsOfHouse(object) {
  if (object.kind !== 'Deployment' && object.kind !== 'Job') return [];
  const pod = object.spec?.template?.spec ?? {};
  const endsByItself = object.kind === 'Job';
  const rules = {
    'runs as root': pod.securityContext?.runAsNonRoot === true,
    'has no seccomp profile': Boolean(pod.securityContext?.seccompProfile?.type),
    'gives its pods a token of the cluster': pod.automountServiceAccountToken === false,
    'has no time to shut down in order': pod.terminationGracePeriodSeconds >= 30,
  };
  for (const container of pod.containers ?? []) {
    const security = container.securityContext ?? {};
    Object.assign(rules, {
      'has a writable root file system': security.readOnlyRootFilesystem === true,
      'may gain privileges': security.allowPrivilegeEscalation === false,
      'keeps capabilities': security.capabilities?.drop?.includes('ALL') ?? false,
      'has no requests': Boolean(container.resources?.requests?.cpu && container.resources.requests.memory),
      'has no memory limit': Boolean(container.resources?.limits?.memory),
      'lacks a probe':
        endsByItself || Boolean(container.startupProbe && container.livenessProbe && container.readinessProbe),
    });
  }
  return Object.entries(rules).flatMap(([problem, holds]) => (holds ? [] : [problem]));
}

/** Checks what every workload needs beside itself. */
function problemsOfCompany(object, all) {
  if (object.kind === 'Job') return problemsOfJob(object, all);
  if (object.kind !== 'Deployment') return [];
  const labels = object.spec?.template?.metadata?.labels ?? {};
  const selects = (selector) => Object.entries(selector ?? {}).every(([name, value]) => labels[name] === value);
  const ofKind = (kind) => all.filter((each) => each.kind === kind);
  const isLimited = (direction) =>
    ofKind('NetworkPolicy').some(
      ({ spec }) => selects(spec.podSelector?.matchLabels) && spec.policyTypes?.includes(direction),
    );
  const scalers = ofKind('HorizontalPodAutoscaler').filter(
    ({ spec }) => spec.scaleTargetRef?.kind === 'Deployment' && spec.scaleTargetRef.name === object.metadata?.name,
  );
  const least = scalers.length > 0 ? scalers[0].spec.minReplicas : object.spec?.replicas;
  const rules = {
    'has no disruption budget': ofKind('PodDisruptionBudget').some(({ spec }) => selects(spec.selector?.matchLabels)),
    'has no service': ofKind('Service').some(({ spec }) => spec.selector && selects(spec.selector)),
    'runs once only': least >= 2,
    'has replicas that its autoscaler would fight': scalers.length === 0 || object.spec?.replicas === undefined,
    'may be reached by everybody': isLimited('Ingress'),
    'may reach everything': isLimited('Egress'),
  };
  return Object.entries(rules).flatMap(([problem, holds]) =>
    holds ? [] : [`Deployment/${object.metadata?.name}: ${problem}`],
  );
}

/** Checks a job: it runs once, and needs no more than its own limits, as no client calls it. */
function problemsOfJob({ metadata, spec }, all) {
  const labels = spec?.template?.metadata?.labels ?? {};
  const isLimited = all.some(
    (each) =>
      each.kind === 'NetworkPolicy' &&
      each.spec.policyTypes?.includes('Egress') &&
      Object.entries(each.spec.podSelector?.matchLabels ?? {}).every(([name, value]) => labels[name] === value),
  );
  return isLimited ? [] : [`Job/${metadata?.name}: may reach everything`];
}

module.exports = { validateManifests };
