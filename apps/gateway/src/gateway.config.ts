import { Secret, Setting } from '@groupware/service-kit';
import { IsIn, IsInt, Min } from 'class-validator';
import type { CookieSecurity, EdgeSettings } from './edge/settings';

/** Settings of the gateway. */
export class GatewayConfig {
  @Setting({ env: 'GROUPWARE_MASTER_LOGIN', doc: 'Login of the master administrator of the REST API' })
  masterLogin = '';

  @Setting({
    env: 'GROUPWARE_MASTER_PASSWORD',
    doc: 'Password of the master administrator; empty: every master call is refused',
    type: 'secret',
  })
  masterPassword = new Secret('');

  @Setting({
    env: 'MASTER_ACCOUNT_OVERRIDE',
    doc: 'Master administrators and resellers may do what the administrator of a context may',
  })
  masterOverride = true;

  @Setting({ env: 'GROUPWARE_REST_LOGIN', doc: 'Login of cooperating services at the REST API' })
  restLogin = '';

  @Setting({
    env: 'GROUPWARE_REST_PASSWORD',
    doc: 'Password of cooperating services; empty: every such call is refused',
    type: 'secret',
  })
  restPassword = new Secret('');

  @Setting({ env: 'GATEWAY_DEADLINE_MS', doc: 'Longest time a call may take unless its contract says otherwise, ms' })
  @IsInt()
  @Min(1)
  deadlineMs = 30_000;

  @Setting({ env: 'GATEWAY_RETRY_AFTER_SECONDS', doc: 'Retry-After of answers with HTTP 503, s' })
  @IsInt()
  @Min(1)
  retryAfterSeconds = 5;

  @Setting({
    env: 'GATEWAY_MAX_CONCURRENT',
    doc: 'Most requests that one listener of a process works on; more get HTTP 429. Bodies and answers on their way do not count',
  })
  @IsInt()
  @Min(1)
  maxConcurrent = 2_000;

  @Setting({
    env: 'GATEWAY_MAX_CONCURRENT_PER_ADDRESS',
    doc: 'The same for one client address (IPv6: one network of 64 bits)',
  })
  @IsInt()
  @Min(1)
  maxConcurrentPerAddress = 1_000;

  @Setting({
    env: 'GATEWAY_MAX_RECEIVING',
    doc: 'Most requests of one listener whose body is on its way; for one more the slowest of them loses its connection',
  })
  @IsInt()
  @Min(1)
  maxReceiving = 2_000;

  @Setting({
    env: 'GATEWAY_MAX_RECEIVING_PER_ADDRESS',
    doc: 'The same for one client address (IPv6: one network of 64 bits)',
  })
  @IsInt()
  @Min(1)
  maxReceivingPerAddress = 500;

  @Setting({ env: 'GATEWAY_MAX_BODY_BYTES', doc: 'Largest JSON or form body of a module call, bytes' })
  @IsInt()
  @Min(1)
  maxBodyBytes = 4 * 1024 * 1024;

  @Setting({ env: 'GATEWAY_MAX_REST_BODY_BYTES', doc: 'Largest body of the REST API, bytes' })
  @IsInt()
  @Min(1)
  maxRestBodyBytes = 1024 * 1024;

  @Setting({ env: 'GATEWAY_MAX_UPLOAD_BYTES', doc: 'Largest upload, all parts together, bytes' })
  @IsInt()
  @Min(1)
  maxUploadBytes = 100 * 1024 * 1024;

  @Setting({
    env: 'GATEWAY_MAX_INCOMING_BYTES_PER_USER',
    doc: 'Most bytes that uploads of one user may have in the file store until their calls end, over all gateways; more give UPL-0005',
  })
  @IsInt()
  @Min(1)
  maxIncomingBytesPerUser = 500 * 1024 * 1024;

  @Setting({
    env: 'GATEWAY_MAX_INCOMING_BYTES',
    doc: 'The same for all users of a context together, and for each administrator',
  })
  @IsInt()
  @Min(1)
  maxIncomingBytes = 2 * 1024 * 1024 * 1024;

  @Setting({ env: 'GATEWAY_MAX_UPLOAD_FILES', doc: 'Most files in one upload' })
  @IsInt()
  @Min(1)
  maxUploadFiles = 100;

  @Setting({ env: 'GATEWAY_MAX_UPLOAD_FIELDS', doc: 'Most form fields in one upload' })
  @IsInt()
  @Min(1)
  maxUploadFields = 200;

  @Setting({ env: 'GATEWAY_MAX_FIELD_BYTES', doc: 'Largest form field in an upload, bytes' })
  @IsInt()
  @Min(1)
  maxFieldBytes = 1024 * 1024;

  @Setting({ env: 'GATEWAY_MAX_MULTIPLE', doc: 'Most calls in one request of the module multiple' })
  @IsInt()
  @Min(1)
  maxMultiple = 500;

  @Setting({
    env: 'GATEWAY_MAX_MULTIPLE_BYTES',
    doc: 'Most bytes of answers of one request of the module multiple; further reads are answered with SVL-0038',
  })
  @IsInt()
  @Min(1_024)
  maxMultipleBytes = 64 * 1024 * 1024;

  @Setting({
    env: 'GATEWAY_JOB_AFTER_MS',
    doc: 'A write with allow_enqueue=true that takes longer is answered with a job (HTTP 202) and goes on, ms',
  })
  @IsInt()
  @Min(1)
  jobAfterMs = 10_000;

  @Setting({ env: 'GATEWAY_JOB_DEADLINE_MS', doc: 'Longest time of a job, ms' })
  @IsInt()
  @Min(1_000)
  jobDeadlineMs = 600_000;

  @Setting({
    env: 'GATEWAY_MAX_JOBS_PER_USER',
    doc: 'Most jobs of one user, those included whose answers were not fetched; further calls are waited for',
  })
  @IsInt()
  @Min(1)
  maxJobsPerUser = 20;

  @Setting({ env: 'GATEWAY_JOB_KEPT_MS', doc: 'How long answers of jobs are kept, ms' })
  @IsInt()
  @Min(1_000)
  jobKeptMs = 3_600_000;

  @Setting({
    env: 'GATEWAY_MAX_JOB_ANSWER_BYTES',
    doc: 'Largest answer of a job that is kept; a larger one gives JOB_QUEUE-9002, bytes',
  })
  @IsInt()
  @Min(1_024)
  maxJobAnswerBytes = 1_048_576;

  @Setting({
    env: 'GATEWAY_LOGINS_PER_MINUTE',
    doc: 'Requests of the login module per client address and minute; more get HTTP 429',
  })
  @IsInt()
  @Min(1)
  loginsPerMinute = 600;

  @Setting({
    env: 'GATEWAY_REST_FAILURES_PER_MINUTE',
    doc: 'Wrong credentials at the REST API per client address, context and minute, and for all contexts ten times as many; more get HTTP 429',
  })
  @IsInt()
  @Min(1)
  restFailuresPerMinute = 10;

  @Setting({
    env: 'GATEWAY_COOKIE_SECURE',
    doc: 'Secure attribute of cookies: auto (as the request came to a trusted proxy; a warning at start when there are none), always, never',
  })
  @IsIn(['auto', 'always', 'never'])
  cookieSecure: CookieSecurity = 'auto';

  @Setting({ env: 'GATEWAY_COOKIE_SAME_SITE', doc: 'SameSite attribute of cookies: Lax, Strict, None' })
  @IsIn(['Lax', 'Strict', 'None'])
  cookieSameSite: EdgeSettings['cookieSameSite'] = 'Lax';

  @Setting({ env: 'GATEWAY_COOKIE_DOMAIN', doc: 'Domain attribute of cookies; empty: none' })
  cookieDomain = '';

  @Setting({ env: 'GATEWAY_ERROR_STACKS', doc: 'Add stack traces to error answers; for development only' })
  errorStacks = false;

  @Setting({ env: 'GATEWAY_EXPLORER', doc: 'Serve the API explorer at /docs on both listeners' })
  explorer = true;

  @Setting({
    env: 'GROUPWARE_CLIENT_DIR',
    doc: 'Folder of a static web client to serve, with an index.html; empty: none, the root answers a page about this server. A new index.html makes it be read again',
  })
  clientDir = '';

  @Setting({ env: 'GROUPWARE_CLIENT_PATH', doc: 'Path of the static web client; / for the root. Paths of the API win' })
  clientPath = '/appsuite';

  @Setting({
    env: 'GROUPWARE_CLIENT_POLICY',
    doc: 'Content-Security-Policy of the static web client; clients that compile templates need unsafe-eval in script-src',
  })
  clientPolicy =
    "default-src 'self'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; font-src 'self' data:; connect-src 'self'; frame-src 'self' blob:; worker-src 'self' blob:; object-src 'none'; base-uri 'self'; form-action 'self'; frame-ancestors 'self'";

  /** The settings of the edge. */
  edgeSettings(around: Pick<EdgeSettings, 'basePaths' | 'cookiePrefixes'>): EdgeSettings {
    return {
      ...around,
      deadlineMs: this.deadlineMs,
      retryAfterSeconds: this.retryAfterSeconds,
      maxConcurrent: this.maxConcurrent,
      maxConcurrentPerAddress: this.maxConcurrentPerAddress,
      maxReceiving: this.maxReceiving,
      maxReceivingPerAddress: this.maxReceivingPerAddress,
      maxBodyBytes: this.maxBodyBytes,
      maxRestBodyBytes: this.maxRestBodyBytes,
      maxUploadBytes: this.maxUploadBytes,
      maxIncomingBytesPerUser: this.maxIncomingBytesPerUser,
      maxIncomingBytes: this.maxIncomingBytes,
      maxUploadFiles: this.maxUploadFiles,
      maxUploadFields: this.maxUploadFields,
      maxFieldBytes: this.maxFieldBytes,
      cookieSecurity: this.cookieSecure,
      cookieSameSite: this.cookieSameSite,
      cookieDomain: this.cookieDomain,
      showsStack: () => this.errorStacks,
      masterOverride: this.masterOverride,
      master: { login: this.masterLogin, password: this.masterPassword.reveal() },
      service: { login: this.restLogin, password: this.restPassword.reveal() },
      maxMultiple: this.maxMultiple,
      maxMultipleBytes: this.maxMultipleBytes,
    };
  }
}
