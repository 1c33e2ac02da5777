/**
 * How a connection is protected. `tls`: from the first byte; `starttls`: upgraded before anything secret is said, or not
 * used; `offered`: upgraded when the server offers it, otherwise in clear text.
 */
export type Protection = 'tls' | 'starttls' | 'offered';

/** A server of an account. */
export interface MailServer {
  readonly protocol: 'imap' | 'pop3' | 'smtp' | 'sieve';
  /** As the user entered it. */
  readonly host: string;
  readonly port: number;
  readonly protection: Protection;
  /** False refuses connections in clear text. */
  readonly allowPlain: boolean;
}

/** Credentials of a log-in: with a password, or with an OAuth access token (OAUTHBEARER, else XOAUTH2). */
export interface MailCredentials {
  readonly login: string;
  readonly password?: string;
  readonly accessToken?: string;
  /** User whose mailbox is meant, when another one logs in for him; only ManageSieve knows it. */
  readonly authorizeAs?: string;
  /** True for what must not travel in clear text, whatever the server's settings allow. */
  readonly encryptedOnly?: boolean;
}

/** Bounds of what a server may send. */
export interface MailLimits {
  /** Longest line of an IMAP answer, bytes. */
  readonly maxLineBytes: number;
  /** Largest literal of an IMAP answer, such as a message part, bytes. */
  readonly maxLiteralBytes: number;
}

/** Enough for greeting, log-in and folder lists. */
export const CHECK_LIMITS: MailLimits = { maxLineBytes: 65_536, maxLiteralBytes: 65_536 };

/** Enough for mailboxes: the ids of a million mails are one line of eight bytes each. */
export const MAILBOX_LIMITS: MailLimits = { maxLineBytes: 16 * 1024 * 1024, maxLiteralBytes: 64 * 1024 * 1024 };
