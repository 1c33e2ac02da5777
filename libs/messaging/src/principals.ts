import { createPrivateKey, createPublicKey, sign, verify, type KeyObject } from 'node:crypto';
import type { Operation, Principal, ServicePrincipal, UserPrincipal } from '@groupware/contracts';
import type { MsgHdrs } from 'nats';
import { HEADER } from './wire';

/** Keys for principals: Ed25519, 32 bytes each, as RFC 8032 writes them. */
export interface PrincipalKeys {
  /** The gateway's own: with it a process says who calls. */
  readonly signing?: Uint8Array;
  /** Public halves that are believed; default: that of the signing key. */
  readonly trusted?: readonly Uint8Array[];
}

/** How long a proof is good for unless the deadline of its call is later, ms. A shorter time costs more signatures, a longer one keeps a stolen proof alive. */
const LIFETIME_MS = 120_000;
const MAX_KNOWN = 2_000;
const ANONYMOUS: Principal = Object.freeze({ kind: 'anonymous' });

// DER around a raw key (RFC 8410).
const PRIVATE_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex');
const PUBLIC_PREFIX = Buffer.from('302a300506032b6570032100', 'hex');
const privateKey = (seed: Uint8Array): KeyObject =>
  createPrivateKey({ key: Buffer.concat([PRIVATE_PREFIX, seed]), format: 'der', type: 'pkcs8' });
const publicKey = (raw: Uint8Array): KeyObject =>
  createPublicKey({ key: Buffer.concat([PUBLIC_PREFIX, raw]), format: 'der', type: 'spki' });

/** The public half of a signing key. */
export const publicHalfOf = (seed: Uint8Array): Buffer =>
  createPublicKey(privateKey(seed)).export({ format: 'der', type: 'spki' }).subarray(PUBLIC_PREFIX.length);

/** A principal as it travels. */
interface Known {
  readonly principal: Principal;
  readonly text: string;
  /** `<ms UTC at which it ends>.<signature>` */
  proof?: string;
  untilMs: number;
}

/**
 * Writes principals into the headers of calls and reads them. Users and administrators travel with a proof: a signature of the
 * gateway over who it is and until when that holds. A service has proofs of the callers it serves, and passes those on; it can
 * make none. Proofs are kept with their principals, so a call costs a look-up and not a signature.
 */
export class Principals {
  private readonly signing: KeyObject | undefined;
  private readonly trusted: readonly KeyObject[];
  /** By text: a caller has the same text in each call. */
  private known = new Map<string, Known>();
  private readonly byObject = new WeakMap<Principal, Known>();

  /** @param prefix of the installation: proofs of another one mean nothing here */
  constructor(
    keys: PrincipalKeys,
    private readonly prefix: string,
    private readonly now: () => number = Date.now,
  ) {
    this.signing = keys.signing && privateKey(keys.signing);
    this.trusted = (keys.trusted ?? (keys.signing ? [publicHalfOf(keys.signing)] : [])).map(publicKey);
  }

  /** Whether principals of callers need a proof; without keys the bus is believed. */
  get areProven(): boolean {
    return this.trusted.length > 0;
  }

  /**
   * Writes who calls.
   * @param maySign whether the caller is the edge, which finds out who calls
   * @throws where a service passes on a principal whose call it does not serve: a mistake in a program
   */
  write(headers: MsgHdrs, principal: Principal, deadline: number, maySign: boolean): void {
    if (principal.kind === 'internal' && principal.user) {
      const { user, ...own } = principal;
      headers.set(HEADER.principal, JSON.stringify(own));
      this.writeCaller(headers, HEADER.actingFor, user, deadline, maySign);
    } else if (principal.kind === 'internal' || principal.kind === 'anonymous')
      headers.set(HEADER.principal, this.knownOf(principal).text);
    else this.writeCaller(headers, HEADER.principal, principal, deadline, maySign);
  }

  private writeCaller(headers: MsgHdrs, name: string, principal: Principal, deadline: number, maySign: boolean): void {
    const known = this.knownOf(principal);
    headers.set(name, known.text);
    if (!this.areProven) return;
    const now = this.now();
    if (maySign && this.signing && known.untilMs < Math.max(now + LIFETIME_MS / 2, deadline)) {
      known.untilMs = Math.max(now + LIFETIME_MS, deadline);
      known.proof = `${known.untilMs}.${sign(null, this.signedBytes(known.text, known.untilMs), this.signing).toString('base64url')}`;
    }
    if (!known.proof || known.untilMs <= now)
      throw new Error(`a ${principal.kind} is passed on whose call is not being served`);
    headers.set(HEADER.proof, known.proof);
  }

  /** Reads the principal of a call. @throws without a valid proof */
  read(headers: MsgHdrs | undefined): Principal {
    const text = headers?.get(HEADER.principal);
    if (!text) return ANONYMOUS;
    const actingFor = headers!.get(HEADER.actingFor);
    const proof = headers!.get(HEADER.proof);
    if (!actingFor) return this.proven(text, proof);
    const own = this.proven(text, '') as ServicePrincipal;
    const user = this.proven(actingFor, proof) as UserPrincipal;
    if (own.kind !== 'internal' || user.kind !== 'user' || own.contextId !== user.contextId)
      throw new Error(`a ${own.kind} may not act for a ${user.kind}, or not in this context`);
    return Object.freeze({ ...own, user });
  }

  private proven(text: string, proof: string | undefined): Principal {
    const known = this.known.get(text);
    if (known && (!this.areProven || !needsProof(known.principal))) return known.principal;
    if (known?.proof && known.proof === proof && known.untilMs > this.now()) return known.principal;
    const principal = known?.principal ?? parsed(text);
    if (!this.areProven) return this.remember({ principal, text, untilMs: 0 }).principal;
    if (principal.kind === 'internal' && principal.user) throw new Error('somebody is acted for without a proof');
    if (!needsProof(principal)) return this.remember({ principal, text, untilMs: 0 }).principal;
    const untilMs = Number(proof?.slice(0, proof.indexOf('.')));
    const signature = Buffer.from(proof?.slice(proof.indexOf('.') + 1) ?? '', 'base64url');
    if (!(untilMs > this.now())) throw new Error(`the proof of a ${principal.kind} is missing or has ended`);
    const bytes = this.signedBytes(text, untilMs);
    if (!this.trusted.some((key) => verify(null, bytes, key, signature)))
      throw new Error(`the proof of a ${principal.kind} is false`);
    if (!known) return this.remember({ principal, text, proof, untilMs }).principal;
    if (untilMs > known.untilMs) Object.assign(known, { proof, untilMs });
    return principal;
  }

  private knownOf(principal: Principal): Known {
    const known = this.byObject.get(principal);
    if (known) return known;
    const text = JSON.stringify(principal);
    // The edge makes a principal of each session anew: its proof is that of the one before.
    const same = this.known.get(text) ?? this.remember({ principal: parsed(text), text, untilMs: 0 });
    this.byObject.set(principal, same);
    return same;
  }

  private remember(known: Known): Known {
    if (this.known.size >= MAX_KNOWN) this.known = new Map();
    this.known.set(known.text, known);
    this.byObject.set(known.principal, known);
    return known;
  }

  private signedBytes(text: string, untilMs: number): Buffer {
    return Buffer.from(`groupware principal\n${this.prefix}\n${untilMs}\n${text}`);
  }
}

const parsed = (text: string): Principal => Object.freeze(JSON.parse(text) as Principal);
const needsProof = ({ kind }: Principal): boolean => kind !== 'internal' && kind !== 'anonymous';

/**
 * The principal as the operation takes it. A service that calls an operation for cooperating services in its own name is one.
 * @throws for a principal of a kind that may not call the operation
 */
export function principalFor({ auth, callers, subject }: Operation, principal: Principal): Principal {
  const { kind } = principal;
  const fits =
    auth === 'none' ||
    (auth === 'internal' ? kind === 'internal' : auth === 'admin' ? ADMINISTRATORS.includes(kind) : kind === 'user');
  if (fits) return principal;
  if (kind === 'internal' && callers?.some((caller) => caller === 'service'))
    return { kind: 'service', login: principal.service };
  throw new Error(`a principal of kind ${kind} calls ${subject}`);
}

const ADMINISTRATORS: readonly string[] = ['master', 'reseller', 'context-admin', 'service'];
