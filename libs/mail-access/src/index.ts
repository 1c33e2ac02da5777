export { ConnectionGovernor } from './governor/connection-governor';
export { GovernorSettings } from './governor/governor-settings';
export { type ImapConnection } from './imap-attempt';
export { ImapPool, type ImapLogin, type SessionUse } from './imap/imap-pool';
export { ImapPoolSettings } from './imap/imap-pool-settings';
export { findRefusal, ImapRefusal } from './imap/imap-refusal';
export {
  ImapSession,
  isSameState,
  UID_BLOCK,
  type CopiedUids,
  type KeptLists,
  type MailboxState,
} from './imap/imap-session';
export { atom, formatUidSet, text, uidSet, type ImapToken, type UidThread } from './imap/imap-tokens';
export { MAIL_REDIS, mailAccessProviders, MailAccessSettings, mailClaimsProvider } from './mail-access-providers';
export { MailConnector, type HeldConnection, type MailUse } from './mail-connector';
export { MailFailure, mailFailureOf, warningOf, type MailFailureKind } from './mail-failure';
export { CHECK_LIMITS, type MailCredentials, type MailLimits, type MailServer, type Protection } from './mail-server';
export { type Pop3Mail, type Pop3Session } from './pop3/pop3-session';
export { SIEVE_LIMITS, type SieveUse } from './sieve/sieve-attempt';
export { SievePool } from './sieve/sieve-pool';
export { findSieveRefusal, SieveRefusal } from './sieve/sieve-refusal';
export { SieveSession, type ScriptName, type SieveCapabilities } from './sieve/sieve-session';
export { SmtpAttempt, type SmtpConnection } from './smtp-attempt';
export {
  SmtpSession,
  type DeliveryStatusNotification,
  type SmtpEnvelope,
  type SmtpOutcome,
  type SmtpRefusal,
  type SmtpTransfer,
} from './smtp/smtp-session';
export { withToken } from './token-login';
