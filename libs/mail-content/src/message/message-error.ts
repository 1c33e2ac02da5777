/** Why a message cannot be read. */
export type MessageFailure = 'tooLarge' | 'unreadable' | 'noSuchPart';

/** A message, or a part of one, that cannot be read. */
export class MessageError extends Error {
  constructor(
    readonly reason: MessageFailure,
    detail = '',
  ) {
    super(`the message cannot be read: ${reason}${detail && ` (${detail})`}`);
    this.name = 'MessageError';
  }
}
