export * from './outgoing-mail.model';
export * from './outgoing-mail.errors';
export * from './outgoing-mail.contract';
export * from './participant-notice';
