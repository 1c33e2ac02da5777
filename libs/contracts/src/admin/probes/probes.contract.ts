import { allowCallers, defineModule, errorCatalog, Field, plain, property, rest, text } from '../../kit';

const FOR_PROBES = allowCallers('probes of the internal listener; nothing of any context');

/** Login of clients that read the health of processes. */
export const HEALTH_LOGIN = property<string>({
  key: 'com.example.health.username',
  default: '',
  doc: 'Login for /health; with an empty password: open. Empty: GROUPWARE_HEALTH_LOGIN counts.',
});
/** Its password. */
export const HEALTH_PASSWORD = property<string>({
  key: 'com.example.health.password',
  default: '',
  doc: 'Password for /health.',
});
/** Checks that are not run. */
export const HEALTH_SKIP = property<string>({
  key: 'com.example.health.skip',
  default: '',
  doc: 'Comma list of health checks that are not run. Empty: GROUPWARE_HEALTH_SKIP counts.',
});
/** Checks that do not count. */
export const HEALTH_IGNORE = property<string>({
  key: 'com.example.health.ignore',
  default: '',
  doc: 'Comma list of health checks that are run and shown, but not counted. Empty: GROUPWARE_HEALTH_IGNORE counts.',
});
/** Login of clients that read metrics. */
export const METRICS_LOGIN = property<string>({
  key: 'com.example.metrics.basic-auth.login',
  default: '',
  doc: 'Login for /metrics; with an empty password: open. Empty: GROUPWARE_METRICS_LOGIN counts.',
});
/** Its password. */
export const METRICS_PASSWORD = property<string>({
  key: 'com.example.metrics.basic-auth.password',
  default: '',
  doc: 'Password for /metrics. With a pair, clients from other machines need TLS.',
});

/** Refusals of probes (prefix PROBE). */
export const ProbeErrors = errorCatalog('PROBE', {
  unauthorized: { number: 401, category: 'PERMISSION_DENIED', message: 'Credentials are needed.', http: 401 },
  needsTls: {
    number: 403,
    category: 'PERMISSION_DENIED',
    message: 'Clients from other machines need TLS.',
    http: 403,
  },
  down: { number: 500, category: 'SERVICE_DOWN', message: 'Failed checks: %1.', http: 500 },
});

/** Outcome of one check. */
export class HealthCheckData {
  @Field.text({ doc: 'Name of the check' }) name!: string;
  @Field.text({ doc: 'UP or DOWN', values: ['UP', 'DOWN'] }) status!: 'UP' | 'DOWN';
  @Field.any({ doc: 'What failed: {error}', optional: true }) data?: { readonly error: string };
}

/** The process that answers. */
export class ServiceData {
  @Field.text({ doc: 'Name of the product' }) name!: string;
  @Field.text({ doc: 'Its version' }) version!: string;
  @Field.text({ doc: 'Day of the build, yyyy-MM-dd' }) buildDate!: string;
  @Field.text({ doc: 'Time of the answer, yyyy-MM-ddTHH:mm:ss,SSS±hhmm' }) date!: string;
  @Field.text({ doc: 'Time zone of the process' }) timeZone!: string;
  @Field.text({ doc: 'Locale of the process' }) locale!: string;
  @Field.text({ doc: 'Character set of the process' }) charset!: string;
}

/** Health of a process. */
export class HealthData {
  @Field.text({ doc: 'UP or DOWN', values: ['UP', 'DOWN'] }) status!: 'UP' | 'DOWN';
  @Field.list(() => HealthCheckData, { doc: 'Checks, by name' }) checks!: HealthCheckData[];
  @Field.object(() => ServiceData, { doc: 'The process' }) service!: ServiceData;
  @Field.listOf('text', { doc: 'Checks that are not run' }) blacklist!: string[];
  @Field.listOf('text', { doc: 'Checks that are not counted' }) ignorelist!: string[];
  @Field.text({ doc: 'Names of the failed checks', optional: true }) error?: string;
}

/** State that every process tells about itself on its internal listener. Each answers for itself, without the bus. */
export const probes = defineModule(
  'probes',
  {
    getHealth: rest({
      access: FOR_PROBES,
      http: 'GET',
      path: '/health',
      callers: ['anybody'],
      doc: 'Every check with its state; 500 when one that counts fails. Needs the pair of `com.example.health.username` where that is set',
      reply: plain<HealthData>(HealthData),
      errors: [ProbeErrors.unauthorized, ProbeErrors.down],
    }),
    getMetrics: rest({
      access: FOR_PROBES,
      http: 'GET',
      path: '/metrics',
      callers: ['anybody'],
      doc: 'Metrics in the text exposition format. Needs the pair of `com.example.metrics.basic-auth.login` where that is set; clients from other machines then need TLS (403)',
      reply: text('text/plain; version=0.0.4; charset=utf-8'),
      errors: [ProbeErrors.unauthorized, ProbeErrors.needsTls],
    }),
  },
  { service: 'process' },
);
