import { errorCatalog } from '../kit';

/** Mail accounts (API page "Errors", prefix ACC). */
export const MailAccountErrors = errorCatalog('ACC', {
  notFound: {
    number: 2,
    category: 'ERROR',
    message: 'There is no mail account %1 of user %2 in context %3.',
    http: 404,
  },
  primaryNotDeletable: {
    number: 6,
    category: 'PERMISSION_DENIED',
    message: 'The primary mail account of user %1 in context %2 cannot be deleted.',
  },
  primaryNotChangeable: {
    number: 7,
    category: 'PERMISSION_DENIED',
    message: "The attribute '%1' of the primary mail account cannot be changed.",
  },
  secondPrimary: { number: 8, category: 'USER_INPUT', message: 'There can be only one primary mail account.' },
  unifiedExists: { number: 11, category: 'USER_INPUT', message: 'There is a unified mail account already.' },
  unifiedNotCreatable: {
    number: 12,
    category: 'USER_INPUT',
    message: "A mail account with the protocol '%1' cannot be created.",
  },
  unifiedNotValidatable: {
    number: 13,
    category: 'USER_INPUT',
    message: 'The unified mail account cannot be validated.',
  },
  multipleNotEnabled: {
    number: 14,
    category: 'PERMISSION_DENIED',
    message: 'User %1 in context %2 may not have several mail accounts.',
    display: 'You may not have several mail accounts.',
  },
  addressTaken: { number: 15, category: 'USER_INPUT', message: 'There is a mail account with the address %1 already.' },
  badName: { number: 16, category: 'USER_INPUT', message: "'%1' is no name for a mail account." },
  mailboxTaken: {
    number: 17,
    category: 'USER_INPUT',
    message: 'There is a mail account of %2 on the server %1 already.',
  },
  badServer: {
    number: 18,
    category: 'ERROR',
    message: "The server '%1' cannot be read.",
    display: "'%1' is no address of a server.",
    http: 400,
  },
  badHost: { number: 19, category: 'USER_INPUT', message: "'%1' is no host name." },
  mailUnreachable: { number: 20, category: 'WARNING', message: 'The mail server %1 cannot be reached as %2.' },
  transportUnreachable: {
    number: 21,
    category: 'WARNING',
    message: 'The transport server %1 cannot be reached as %2.',
  },
  mailPortIsPlain: {
    number: 22,
    category: 'WARNING',
    message: 'The port is the one for connections without TLS, but TLS is switched on (%1).',
  },
  mailPortIsSecure: {
    number: 23,
    category: 'WARNING',
    message: 'The port is the one for connections with TLS, but TLS is switched off (%1).',
  },
  transportPortIsPlain: {
    number: 24,
    category: 'WARNING',
    message: 'The port is the one for sending without TLS, but TLS is switched on (%1).',
  },
  transportPortIsSecure: {
    number: 25,
    category: 'WARNING',
    message: 'The port is the one for sending with TLS, but TLS is switched off (%1).',
  },
  protocolChange: {
    number: 26,
    category: 'USER_INPUT',
    message: 'The protocol of a mail account cannot be changed from %1 to %2.',
  },
  // Ours: the public enumeration ends at 26.
  tooMany: { number: 101, category: 'USER_INPUT', message: 'There can be at most %1 mail accounts.' },
});

/** Connections to mail servers (prefix MSG). */
export const MailConnectionErrors = errorCatalog('MSG', {
  worksInsecurely: {
    number: 79,
    category: 'WARNING',
    message: 'The mail account works, but the connection is not secure.',
  },
  createdInsecurely: {
    number: 81,
    category: 'WARNING',
    message: 'The mail account was created, but its connection is not secure.',
  },
  pingFailed: { number: 90, category: 'WARNING', message: 'The server %1 refused the connection for %2: %3' },
  badCredentials: {
    number: 91,
    category: 'WARNING',
    message: 'The server %1 refused the login of %2: wrong name or password.',
  },
  authenticationUnsupported: {
    number: 108,
    category: 'CONFIGURATION',
    message: "The server %2 does not support authentication of type '%1'.",
    display: "The server %2 does not support authentication of type '%1'.",
  },
  insecureNotAllowed: {
    number: 111,
    category: 'PERMISSION_DENIED',
    message: 'Connections that are not secure are not allowed.',
  },
});

/** Certificates of servers (prefix SSL). */
export const CertificateErrors = errorCatalog('SSL', {
  untrusted: {
    number: 1,
    category: 'USER_INPUT',
    message: 'The certificate %1 of the server %2 is not trusted.',
  },
  notFound: { number: 2, category: 'USER_INPUT', message: 'The certificate %1 is not known.', http: 404 },
  notAllowed: {
    number: 3,
    category: 'PERMISSION_DENIED',
    message: 'Certificates that are not trusted cannot be accepted.',
  },
});

/** Errors of mail session validation (prefix MAIL, ours). */
export const MailSessionErrors = errorCatalog('MAIL', {
  noPrimaryAccount: {
    number: 114,
    category: 'PERMISSION_DENIED',
    message: 'User %1 in context %2 has no primary mail account that can be used.',
    http: 403,
  },
});
