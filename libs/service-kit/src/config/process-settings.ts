import type { BusCredentials } from '@groupware/messaging';
import { IsInt, Max, Min, Validate } from 'class-validator';
import { Addresses } from '../http/client-address';
import { addressesByName } from './addresses-by-name';
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
  @Setting({ env: 'DATABASE_URL', doc: 'Postgres of the default shard', type: 'secret' })
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
    doc: 'Connections per module and shard that reads share while many are asked for; slow ones take more, up to the size of the pool',
  })
  @IsInt()
  @Min(1)
  @Max(500)
  databaseReadConnections = 3;
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
    env: 'GROUPWARE_MAX_CALLS',
    doc: 'Most calls one service answers at the same time; more are refused at once',
  })
  @IsInt()
  @Min(1)
  maxCalls = 1000;
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

  /** What the process shows NATS besides a login in the address. */
  busCredentials(): BusCredentials {
    return {
      nkeySeed: this.natsNkey.reveal(),
      creds: this.natsCreds.reveal(),
      authority: this.natsCa || undefined,
      certificate: this.natsCertificate || undefined,
      key: this.natsCertificateKey.reveal() || undefined,
    };
  }

  /** Addresses of further shards by name. */
  shardAddresses(): Readonly<Record<string, string>> {
    return addressesByName(this.databaseUrls);
  }
}
