import { readFileSync } from 'node:fs';
import type net from 'node:net';
import tls from 'node:tls';
import { assertOutsideTransaction } from '@groupware/contracts';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import { AddressRule, readRange } from './address-rule';
import { connectToAny, TcpConnector, type Connector } from './connector';
import { withEvenFailures } from './even-time';
import { readHost } from './host-name';
import { CertificateFailure, OutboundFailure, type PeerCertificate } from './outbound-failure';
import { countAttempt } from './outbound-metrics';
import { OutboundSettings } from './outbound-settings';
import { PortList } from './ports';
import { NameServers, type Resolver } from './resolver';
import { TlsSessions } from './tls-sessions';

/** Connection that a caller wants. */
export interface OutboundTarget {
  /** As the user entered it: name or address. */
  readonly host: string;
  readonly port: number;
  /** Purpose of the connection: label of metrics, such as `imap`. */
  readonly purpose: string;
  /** Ports this purpose may use. */
  readonly ports: PortList;
  /** User whose attempts are counted, such as `7:3`; without it nothing is counted. */
  readonly onBehalfOf?: string;
  /**
   * Attempts that the host answers are not counted: it was checked before to be what the user named it for, so that its use tells
   * nothing about other hosts. Attempts under way are. Default: all are counted.
   */
  readonly countsFailuresOnly?: boolean;
  /** Longest time, ms; default: the setting. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

/** A target whose addresses were looked up once and checked: connect to these, never to the name. */
export interface AdmittedTarget {
  /** The host in one form: name for TLS, or the address. */
  readonly host: string;
  readonly port: number;
  /** Checked addresses, in the order to try them. */
  readonly addresses: readonly string[];
  /** Name for SNI and the certificate check; undefined for bare addresses. */
  readonly servername?: string;
  /** True for a certificate that is not trusted in general, but by the caller. Default: none is. */
  readonly accepts?: (certificate: PeerCertificate) => Promise<boolean>;
}

/** Parts that may be replaced, for tests. */
export interface OutboundParts {
  readonly resolver?: Resolver;
  readonly connector?: Connector;
}

/**
 * The door to every host that a user can name. Names are looked up once; the connection goes to the address that was
 * checked. All network causes fail with {@link OutboundFailure} after a multiple of the same time.
 */
export class OutboundGuard {
  /** Look-ups of records other than addresses. What they name has to pass the guard like anything else. */
  readonly resolver: Resolver;
  private readonly connector: Connector;
  private readonly rule: AddressRule;
  private readonly limiter: RateLimiterMemory;
  /** Made once: reading some 150 authorities takes longer than a handshake. */
  private readonly secureContext: tls.SecureContext;
  private readonly sessions = new TlsSessions();

  constructor(
    readonly settings: OutboundSettings = new OutboundSettings(),
    parts: OutboundParts = {},
  ) {
    this.resolver = parts.resolver ?? new NameServers(settings.dnsServers);
    this.connector = parts.connector ?? new TcpConnector();
    const ranges = (texts: readonly string[]) => texts.map(readRange).filter((range) => range !== undefined);
    this.rule = new AddressRule(ranges(settings.allow), ranges(settings.deny));
    this.limiter = new RateLimiterMemory({ points: settings.perMinute, duration: 60 });
    const ca = settings.caFile ? [...tls.rootCertificates, readFileSync(settings.caFile, 'utf8')] : undefined;
    this.secureContext = tls.createSecureContext({ minVersion: 'TLSv1.2', ca });
  }

  /** Opens a TCP connection. @throws OutboundFailure */
  connect(target: OutboundTarget): Promise<net.Socket> {
    return this.attempt(target, async (signal) => this.open(await this.check(target, signal), signal));
  }

  /** Opens a TLS connection whose certificate was verified. @throws OutboundFailure, CertificateFailure */
  connectTls(target: OutboundTarget, options: tls.ConnectionOptions = {}): Promise<tls.TLSSocket> {
    return this.attempt(target, async (signal) => {
      const admitted = await this.check(target, signal);
      return this.secure(await this.open(admitted, signal), admitted, signal, options);
    });
  }

  /** Options for TLS with a host: trusted authorities, server name, lowest version, the session to resume. */
  tlsOptions(target: AdmittedTarget): tls.ConnectionOptions {
    return {
      secureContext: this.secureContext,
      session: this.sessions.findSession(sessionOf(target)),
      ...(target.servername ? { servername: target.servername } : {}),
    };
  }

  /** Turns a plain connection into a TLS one, as STARTTLS does. @throws OutboundFailure, CertificateFailure */
  async secure(
    socket: net.Socket,
    target: AdmittedTarget,
    signal: AbortSignal,
    options: tls.ConnectionOptions = {},
  ): Promise<tls.TLSSocket> {
    const secured = await this.handshake(socket, target, signal, options);
    try {
      await this.verify(secured, target);
      return secured;
    } catch (error) {
      secured.on('error', () => undefined).destroy();
      socket.destroy();
      throw error;
    }
  }

  /**
   * Looks at the certificate of a connection that was made with `rejectUnauthorized: false`. Nothing secret may be said
   * before that. What is trusted may be resumed by the next connection.
   * @throws CertificateFailure unless it is trusted or accepted
   */
  async verify(socket: unknown, target: AdmittedTarget): Promise<void> {
    if (!(socket instanceof tls.TLSSocket)) throw new CertificateFailure(target.host, 'NO_TLS');
    if (socket.authorized) return this.sessions.keepSessions(sessionOf(target), socket);
    const { authorizationError: code } = socket as { authorizationError: Error | string };
    const certificate = certificateOf(socket, String(code));
    if (certificate && (await target.accepts?.(certificate))) return;
    throw new CertificateFailure(target.host, String(code), certificate);
  }

  /** Makes the next connection to a target begin anew: the one that resumed a session failed. */
  forgetSession(target: AdmittedTarget): void {
    this.sessions.forget(sessionOf(target));
  }

  private handshake(
    socket: net.Socket,
    target: AdmittedTarget,
    signal: AbortSignal,
    options: tls.ConnectionOptions,
  ): Promise<tls.TLSSocket> {
    return new Promise((resolve, reject) => {
      const secured = tls.connect({
        ...this.tlsOptions(target),
        // The library checks the name against the certificate; for a bare address that is `host`.
        host: target.host,
        ...options,
        // Faults of the certificate are told by `verify`, which can still see it then.
        rejectUnauthorized: false,
        socket,
      });
      const end = (error?: Error) => {
        signal.removeEventListener('abort', abort);
        secured.removeAllListeners('error').removeAllListeners('secureConnect');
        if (!error) return resolve(secured);
        secured.on('error', () => undefined).destroy();
        socket.destroy();
        reject(error);
      };
      const abort = () => end(new OutboundFailure('timeout'));
      secured.once('secureConnect', () => end());
      secured.once('error', (error: NodeJS.ErrnoException) => {
        this.forgetSession(target);
        end(new OutboundFailure('protocol', error));
      });
      if (signal.aborted) abort();
      else signal.addEventListener('abort', abort, { once: true });
    });
  }

  /** Checks host, port and addresses, without equal times and rates: for parts of one attempt. @throws OutboundFailure */
  async check(target: Omit<OutboundTarget, 'purpose'>, signal: AbortSignal): Promise<AdmittedTarget> {
    if (!target.ports.has(target.port)) throw new OutboundFailure('forbidden-port');
    const host = readHost(target.host);
    if (!host) throw new OutboundFailure('bad-host');
    const addresses = host.isAddress ? [host.host] : await this.resolver.addresses(host.host, signal);
    if (signal.aborted) throw new OutboundFailure('timeout');
    if (addresses.length === 0) throw new OutboundFailure('unknown-host');
    // One forbidden address is enough: a name that mixes them is set up to be tried again.
    if (!addresses.every((address) => this.rule.permits(address))) throw new OutboundFailure('forbidden-address');
    return {
      host: host.host,
      port: target.port,
      addresses,
      ...(host.isAddress ? {} : { servername: host.host }),
    };
  }

  /** Connects to a checked target: for parts of one attempt. @throws OutboundFailure */
  async open(target: AdmittedTarget, signal: AbortSignal): Promise<net.Socket> {
    try {
      return await connectToAny(this.connector, target.addresses, target.port, signal);
    } catch (error) {
      throw new OutboundFailure(signal.aborted ? 'timeout' : 'unreachable', error);
    }
  }

  /**
   * One attempt as a whole: counted, with a deadline, and with failures that take the same time.
   * @param work gets a signal that fires at the deadline
   * @param isAnswer true for errors that say what a reachable host answered: they pass as they are, at once
   */
  attempt<T>(
    target: Pick<OutboundTarget, 'purpose' | 'onBehalfOf' | 'countsFailuresOnly' | 'timeoutMs' | 'signal'>,
    work: (signal: AbortSignal) => Promise<T>,
    isAnswer: (error: unknown) => boolean = () => false,
  ): Promise<T> {
    assertOutsideTransaction('outbound connection');
    const run = async () => {
      const deadline = AbortSignal.timeout(target.timeoutMs ?? this.settings.timeoutMs);
      const signal = target.signal ? AbortSignal.any([target.signal, deadline]) : deadline;
      try {
        await this.count(target.onBehalfOf);
        const result = await work(signal);
        if (target.countsFailuresOnly) await this.discount(target.onBehalfOf);
        countAttempt(target.purpose, 'ok');
        return result;
      } catch (error) {
        if (isAnswer(error)) {
          countAttempt(target.purpose, 'refused');
          throw error;
        }
        const failure = asFailure(error, signal);
        countAttempt(target.purpose, failure instanceof OutboundFailure ? failure.reason : 'certificate');
        throw failure;
      }
    };
    return withEvenFailures(this.settings.failureStepMs, run, isAnswer);
  }

  private async count(onBehalfOf: string | undefined): Promise<void> {
    if (onBehalfOf === undefined) return;
    await this.limiter.consume(onBehalfOf).catch(() => {
      throw new OutboundFailure('too-many-attempts');
    });
  }

  private async discount(onBehalfOf: string | undefined): Promise<void> {
    if (onBehalfOf !== undefined) await this.limiter.reward(onBehalfOf);
  }
}

const sessionOf = ({ host, port }: AdmittedTarget): string => `${host}:${port}`;

function asFailure(error: unknown, signal: AbortSignal): OutboundFailure | CertificateFailure {
  if (error instanceof OutboundFailure || error instanceof CertificateFailure) return error;
  return new OutboundFailure(signal.aborted ? 'timeout' : 'unreachable', error);
}

const CERTIFICATE_CODES =
  /^(CERT_|DEPTH_ZERO_SELF_SIGNED|SELF_SIGNED|UNABLE_TO_(GET_ISSUER|VERIFY_LEAF)|ERR_TLS_CERT_ALTNAME|HOSTNAME_MISMATCH|INVALID_CA|INVALID_PURPOSE|PATH_LENGTH_EXCEEDED)/;

/** The certificate failure behind an error of a TLS connection; undefined for other errors. */
export function certificateFailureOf(error: unknown, host: string): CertificateFailure | undefined {
  const code = (error as NodeJS.ErrnoException | undefined)?.code ?? '';
  return CERTIFICATE_CODES.test(code) ? new CertificateFailure(host, code) : undefined;
}

function certificateOf(socket: tls.TLSSocket, failureReason: string): PeerCertificate | undefined {
  const certificate = socket.getPeerX509Certificate();
  if (!certificate) return undefined;
  const { asymmetricKeyType: type = '', asymmetricKeyDetails: key } = certificate.publicKey;
  return {
    fingerprint: certificate.fingerprint256,
    issuedOn: Date.parse(certificate.validFrom),
    expiresOn: Date.parse(certificate.validTo),
    commonName: nameIn(certificate.subject),
    issuedBy: nameIn(certificate.issuer),
    serialNumber: certificate.serialNumber,
    signature: `${type} ${key?.modulusLength ?? key?.namedCurve ?? ''}`.trim(),
    failureReason,
  };
}

/** The common name in a distinguished name; the whole text when it has none. */
const nameIn = (text: string | undefined): string => /^CN=(.*)$/m.exec(text ?? '')?.[1] ?? text ?? '';
