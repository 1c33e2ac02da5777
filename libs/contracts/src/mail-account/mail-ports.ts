/** The ports that mail protocols have by their standard: without TLS or with STARTTLS, and with TLS from the first byte (RFC 8314). */
export const MAIL_PORTS = {
  imap: { plain: 143, secure: 993 },
  pop3: { plain: 110, secure: 995 },
  smtp: { plain: 25, secure: 465 },
} as const;
