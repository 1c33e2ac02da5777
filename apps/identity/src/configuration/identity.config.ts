import { Secret, Setting } from '@groupware/service-kit';
import { IsInt, IsUrl, Max, Min, ValidateIf } from 'class-validator';

/** Settings of the identity service. */
export class IdentityConfig {
  @Setting({ env: 'IDENTITY_HASH_MEMORY_KIB', doc: 'Memory of one argon2id password hash, KiB' })
  @IsInt()
  @Min(64)
  @Max(1_048_576)
  hashMemoryKib = 19_456;

  @Setting({ env: 'IDENTITY_HASH_PASSES', doc: 'Passes of one argon2id password hash' })
  @IsInt()
  @Min(1)
  @Max(100)
  hashPasses = 2;

  @Setting({ env: 'IDENTITY_HASH_CONCURRENCY', doc: 'Password hashes under way at the same time' })
  @IsInt()
  @Min(1)
  @Max(64)
  hashConcurrency = 2;

  @Setting({ env: 'IDENTITY_HASH_MAX_WAITING', doc: 'Password hashes that may wait; more logins get HTTP 429' })
  @IsInt()
  @Min(0)
  hashMaxWaiting = 500;

  @Setting({
    env: 'IDENTITY_JOB_TAKEOVER_MS',
    doc: 'A job without sign of life for so long, ms, is gone on with by another process',
  })
  @IsInt()
  @Min(100)
  jobTakeoverMs = 30_000;

  @Setting({
    env: 'IDENTITY_RESERVATION_LIFE_MS',
    doc: 'Room that an upload set aside in a file store comes back after so long, ms, when its process died; more than an upload takes',
  })
  @IsInt()
  @Min(1000)
  reservationLifeMs = 600_000;

  @Setting({
    env: 'IDENTITY_MASTER_ADMINS',
    doc: 'Further master administrators of the REST API, as `login:hash` separated by blanks or new lines; hashes as `svcctl hash-password` prints them',
    type: 'secret',
  })
  masterAdmins = new Secret('');

  @Setting({
    env: 'IDENTITY_TOKEN_LOGIN_SECRETS',
    doc: 'Secrets of applications that may redeem login tokens, separated by commas; `secret;accessPassword=true` also hands over the password of the session',
    type: 'secret',
  })
  tokenLoginSecrets = new Secret('');

  @Setting({ env: 'IDENTITY_SMS_GATEWAY_URL', doc: 'HTTP gateway for text messages: takes POST of {to, text} as JSON' })
  @ValidateIf((config: IdentityConfig) => config.smsGatewayUrl !== '')
  @IsUrl({ require_tld: false, protocols: ['http', 'https'], require_protocol: true })
  smsGatewayUrl = '';

  @Setting({ env: 'IDENTITY_SMS_GATEWAY_TOKEN', doc: 'Bearer token of the gateway for text messages', type: 'secret' })
  smsGatewayToken = new Secret('');

  @Setting({
    env: 'GROUPWARE_CONTEXT_SETS',
    doc: 'Values for contexts and users chosen by tags: YAML files or folders of them, a comma list; later sets win',
  })
  contextSets: string[] = [];

  @Setting({
    env: 'IDENTITY_IMPORT_MAPPING',
    doc: 'JSON file with the fields that columns and attributes of imports fill: {"csv": {"title": "field"}, "ldif": {"attribute": "field"}}; null: not read',
  })
  importMapping = '';

  @Setting({
    env: 'IDENTITY_START_DATA_TIMEOUT_MS',
    doc: 'No part of the start data of a client is waited for longer, ms; what is missing is told, and the client asks again',
  })
  @IsInt()
  @Min(1)
  startDataTimeoutMs = 5_000;
}
