export { GovernorSettings } from './governor/governor-settings';
export { type ImapConnection } from './imap-attempt';
export { MAIL_REDIS, mailAccessProviders, MailAccessSettings } from './mail-access-providers';
export { MailConnector, type MailUse } from './mail-connector';
export { MailFailure, mailFailureOf, warningOf, type MailFailureKind } from './mail-failure';
export { CHECK_LIMITS, type MailCredentials, type MailLimits, type MailServer, type Protection } from './mail-server';
export { type Pop3Session } from './pop3/pop3-attempt';
export { SmtpAttempt, type SmtpConnection } from './smtp-attempt';
