import type { BusCredentials, PrincipalKeys } from '@groupware/messaging';
import type { Pooler } from '@groupware/persistence';
import { IsIn, IsInt, Max, Min, Validate } from 'class-validator';
import { Addresses } from '../http/client-address';
import { parseAddressesByName } from './addresses-by-name';
import { KeyOrNone, keyOf, PublicKeys } from './principal-keys';
import { Secret } from './secret';
import { Setting } from './setting';

/** Settings of a process, whatever modules it hosts. */
export class ProcessSettings {
  @Setting({ env: 'PORT', doc: 'Port of the public listener; 0 picks a free one' })
  @IsInt()
  @Min(0)
  @Max(65535)
  port = 8080;
  @Setting({ env: 'INTERNAL_PORT', doc: 'Port of the internal listener: administrative REST, health, metrics' })
  @IsInt()
  @Min(0)
  @Max(65535)
  internalPort = 8081;
  @Setting({ env: 'PUBLIC_HOST', doc: 'Address the public listener binds to' }) publicHost = '127.0.0.1';
  @Setting({ env: 'INTERNAL_HOST', doc: 'Address the internal listener binds to' }) internalHost = '127.0.0.1';
  @Setting({
    env: 'DATABASE_URL',
    doc: 'Postgres of the default shard; several hosts with a,b and target_session_attrs',
    type: 'secret',
  })
  databaseUrl = new Secret('postgres://groupware@127.0.0.1:5432/groupware');
  @Setting({
    env: 'DATABASE_URLS',
    doc: 'Addresses of further shards by the names that the registry of shards uses, name=url separated by blanks',
    type: 'secret',
  })
  databaseUrls = new Secret('');
  @Setting({
    env: 'SHARD_LEASE_MS',
    doc: 'How long a process may work with the places of contexts it knows, ms; the same for all processes. A new shard can be used after twice, a move waits for once this time',
  })
  @IsInt()
  @Min(100)
  @Max(600_000)
  shardLeaseMs = 30_000;
  @Setting({ env: 'DATABASE_POOL_SIZE', doc: 'Most connections per module and shard' })
  @IsInt()
  @Min(1)
  @Max(500)
  databasePoolSize = 8;
  @Setting({
    env: 'DATABASE_READ_CONNECTIONS',
    doc: 'Connections for reads outside of transactions, per module and shard; long ones are not counted and take more, up to the size of the pool',
  })
  @IsInt()
  @Min(1)
  @Max(500)
  databaseReadConnections = 3;
  @Setting({
    env: 'DATABASE_POOLER',
    doc: 'What gives connections to Postgres away between transactions: none; transaction: PgBouncer in transaction mode; transaction-prepared: the same from 1.21 on with max_prepared_statements',
  })
  @IsIn(['none', 'transaction', 'transaction-prepared'])
  databasePooler: Pooler = 'none';
  @Setting({
    env: 'NATS_URL',
    doc: 'NATS with JetStream; with tls:// a server that does not speak TLS is refused',
    type: 'secret',
  })
  natsUrl = new Secret('nats://127.0.0.1:4222');
  @Setting({ env: 'NATS_NKEY', doc: 'Seed of the nkey to log in to NATS with', type: 'secret' })
  natsNkey = new Secret('');
  @Setting({
    env: 'NATS_CREDS',
    doc: 'Content of a .creds file to log in to NATS with; NATS_CREDS_FILE names the file',
    type: 'secret',
  })
  natsCreds = new Secret('');
  @Setting({
    env: 'NATS_CA',
    doc: 'Certificate of the authority of the NATS server, PEM; empty: those that Node trusts (NODE_EXTRA_CA_CERTS)',
  })
  natsCa = '';
  @Setting({ env: 'NATS_CERTIFICATE', doc: 'Certificate of this client for NATS, PEM; needs a tls:// address' })
  natsCertificate = '';
  @Setting({ env: 'NATS_CERTIFICATE_KEY', doc: 'Key of the certificate for NATS, PEM', type: 'secret' })
  natsCertificateKey = new Secret('');
  @Setting({
    env: 'GROUPWARE_PRINCIPAL_KEY',
    doc: 'Key by which the gateway signs who calls, so that no other service can say so: 32 bytes in base64, for processes that host the gateway; empty, with no public halves: principals on the bus are believed unsigned',
    type: 'secret',
  })
  @Validate(KeyOrNone)
  principalKey = new Secret('');
  @Setting({
    env: 'GROUPWARE_PRINCIPAL_PUBLIC_KEYS',
    doc: 'Public halves of the keys of gateways that are believed, base64, separated by commas (print-principal-key.js prints them); default: that of GROUPWARE_PRINCIPAL_KEY',
  })
  @Validate(PublicKeys)
  principalPublicKeys: string[] = [];
  @Setting({ env: 'GROUPWARE_BUS_PREFIX', doc: 'Separates installations on one NATS server' }) busPrefix = 'gw';
  @Setting({ env: 'DATA_DIR', doc: 'Folder for state of this machine' }) dataDir = '.data';
  @Setting({
    env: 'GROUPWARE_PROPERTIES_FILE',
    doc: 'Server values of the configuration cascade: files of key=value lines or folders of *.properties, a comma list; later ones win',
  })
  propertiesFile: string[] = [];
  @Setting({
    env: 'GROUPWARE_SECRETS',
    doc: 'Server values that are secret: decrypted YAML, JSON or key=value files, or mounted folders with a file for each key; a comma list',
  })
  secretsFile: string[] = [];
  @Setting({
    env: 'GROUPWARE_LANGUAGES',
    doc: 'Folder with a file <locale>.json for each further language of the texts that users see; English and German are shipped',
  })
  languages = '';
  @Setting({
    env: 'GROUPWARE_CONFIG_POLL_MS',
    doc: 'Pause between looks whether files of the configuration changed, ms; 0: read again on SIGHUP only',
  })
  @IsInt()
  @Min(0)
  configurationPollMs = 1000;
  @Setting({ env: 'GROUPWARE_LOG_LEVEL', doc: 'fatal, error, warn, info, debug, trace or silent' }) logLevel = 'info';
  @Setting({ env: 'GROUPWARE_DEMO', doc: 'Make a demo context at start' }) demo = false;
  @Setting({
    env: 'GROUPWARE_TEST',
    doc: 'Check every call and result against its model; default true with NODE_ENV=test',
  })
  inspect = false;
  @Setting({
    env: 'GROUPWARE_TEST_REPEATS',
    doc: 'In tests: make every call with an idempotency key twice; it fails when the second reply is another one',
  })
  sendsTwice = false;
  @Setting({
    env: 'GROUPWARE_MAX_CALLS',
    doc: 'Most calls one service answers at the same time; more are refused at once',
  })
  @IsInt()
  @Min(1)
  maxCalls = 1000;
  @Setting({
    env: 'GROUPWARE_IDEMPOTENCY_KEY_LIFETIME_MS',
    doc: 'A call that is sent again with the same Idempotency-Key within this time is done once, ms',
  })
  @IsInt()
  @Min(60_000)
  @Max(30 * 86_400_000)
  idempotencyKeyLifetimeMs = 86_400_000;
  @Setting({ env: 'GROUPWARE_SHUTDOWN_MS', doc: 'Longest time to wait for running calls at shutdown, ms' })
  @IsInt()
  @Min(0)
  shutdownMs = 25_000;
  @Setting({
    env: 'GATEWAY_TRUSTED_PROXIES',
    doc: 'Addresses and networks of proxies whose X-Forwarded headers are believed, on both listeners',
  })
  @Validate(Addresses)
  trustedProxies: string[] = [];
  @Setting({ env: 'GROUPWARE_HEALTH_LOGIN', doc: 'Login for /health; empty: open' }) healthLogin = '';
  @Setting({ env: 'GROUPWARE_HEALTH_PASSWORD', doc: 'Password for /health', type: 'secret' })
  healthPassword = new Secret('');
  @Setting({ env: 'GROUPWARE_METRICS_LOGIN', doc: 'Login for /metrics; empty: open' }) metricsLogin = '';
  @Setting({ env: 'GROUPWARE_METRICS_PASSWORD', doc: 'Password for /metrics', type: 'secret' })
  metricsPassword = new Secret('');
  @Setting({ env: 'GROUPWARE_HEALTH_MAX_LAG_MS', doc: 'The check event-loop fails when turns are typically later, ms' })
  @IsInt()
  @Min(1)
  healthMaxLagMs = 1000;
  @Setting({ env: 'GROUPWARE_HEALTH_MIN_DISK_MB', doc: 'The check disk fails when DATA_DIR has less room, MiB' })
  @IsInt()
  @Min(0)
  healthMinDiskMb = 100;
  @Setting({ env: 'GROUPWARE_HEALTH_SKIP', doc: 'Health checks that are not run' }) healthSkip: string[] = [];
  @Setting({ env: 'GROUPWARE_HEALTH_IGNORE', doc: 'Health checks that are shown but not counted' })
  healthIgnore: string[] = [];

  /** NATS credentials besides a login in the address. */
  busCredentials(): BusCredentials {
    return {
      nkeySeed: this.natsNkey.reveal(),
      creds: this.natsCreds.reveal(),
      authority: this.natsCa || undefined,
      certificate: this.natsCertificate || undefined,
      key: this.natsCertificateKey.reveal() || undefined,
    };
  }

  /** Keys by which the process proves and believes who calls. */
  principalKeys(): PrincipalKeys {
    return {
      ...(this.principalKey.reveal() === '' ? {} : { signing: keyOf(this.principalKey.reveal()) }),
      ...(this.principalPublicKeys.length > 0 ? { trusted: this.principalPublicKeys.map(keyOf) } : {}),
    };
  }

  /** Addresses of further shards by name. */
  shardAddresses(): Readonly<Record<string, string>> {
    return parseAddressesByName(this.databaseUrls);
  }
}
