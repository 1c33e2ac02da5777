import { CertificateErrors, MailAccountErrors, MailConnectionErrors, type CatalogueError } from '@groupware/contracts';
import { CertificateFailure, OutboundFailure } from '@groupware/outbound';
import type { MailServer } from './mail-server';

/**
 * Kind of a failure of a mail server. `unreachable`: any network cause; `broken`: it hung up or speaks another protocol;
 * `busy`: it, or our budget for it, allows no further connection now; `plain`: only clear text would work, which is not
 * allowed or not wanted; `timeout`: the caller's time was over.
 */
export type MailFailureKind =
  'unreachable' | 'broken' | 'certificate' | 'credentials' | 'authentication' | 'plain' | 'busy' | 'timeout';

/** A failed attempt to use a mail server. */
export class MailFailure extends Error {
  override readonly name = 'MailFailure';

  constructor(
    readonly kind: MailFailureKind,
    /** Mechanism, fingerprint, seconds to wait, or a response code of RFC 5530. Never what the server wrote: it may repeat secrets. */
    readonly detail = '',
    cause?: unknown,
  ) {
    super(`mail server: ${kind}${detail ? ` (${detail})` : ''}`, { cause });
  }
}

/** Kinds that say what a reachable server answered; the others all take the same time. */
const ANSWERS: ReadonlySet<MailFailureKind> = new Set([
  'certificate',
  'credentials',
  'authentication',
  'plain',
  'busy',
]);

/** True for a failure that is an answer of the server and not a cause in the network. */
export const isAnswer = (error: unknown): boolean => error instanceof MailFailure && ANSWERS.has(error.kind);

/** The failure behind any error of an attempt. */
export function mailFailureOf(error: unknown): MailFailure {
  if (error instanceof MailFailure) return error;
  if (error instanceof CertificateFailure) return new MailFailure('certificate', error.fingerprint, error);
  if (error instanceof OutboundFailure) return new MailFailure('unreachable', '', error);
  return new MailFailure('broken', '', error);
}

/** The warning of the API for a failure. */
export function warningOf(
  failure: MailFailure,
  server: Pick<MailServer, 'host' | 'protocol'>,
  login: string,
): CatalogueError {
  const { host } = server;
  switch (failure.kind) {
    case 'credentials':
      return MailConnectionErrors.badCredentials(host, login).with({ cause: failure });
    case 'certificate':
      return CertificateErrors.untrusted(failure.detail, host).with({ cause: failure });
    case 'authentication':
      return MailConnectionErrors.authenticationUnsupported(failure.detail, host).with({ cause: failure });
    case 'plain':
      return MailConnectionErrors.insecureNotAllowed().with({ cause: failure });
    case 'busy':
      return MailConnectionErrors.pingFailed(host, login, 'too many connections').with({ cause: failure });
    default:
      return (
        server.protocol === 'smtp'
          ? MailAccountErrors.transportUnreachable(host, login)
          : MailAccountErrors.mailUnreachable(host, login)
      ).with({ cause: failure });
  }
}
