import { config, FORWARD_AS_ATTACHMENT, REPLY_ALL_CC, type UserRequest } from '@groupware/contracts';
import { Caller } from '@groupware/messaging';
import { describeError, Logger, Properties } from '@groupware/service-kit';
import { Injectable } from '@nestjs/common';

/** Longest wait for a setting, ms. */
const PATIENCE_MS = 2_000;

const log = Logger.for('mail.preferences');

/**
 * What users chose in their settings, and operators for them, for requests that do not say it. A choice that cannot be read now is
 * the usual one.
 */
@Injectable()
export class MailPreferences {
  constructor(
    private readonly caller: Caller,
    private readonly properties: Properties,
  ) {}

  /** Whether mails are deleted for good instead of going to the trash. */
  async deletesForGood(request: UserRequest): Promise<boolean> {
    return (await this.read(request, 'modules/mail/deletemail')) === true;
  }

  /** Whether pictures of other servers are shown. */
  async showsPictures(request: UserRequest): Promise<boolean> {
    return (await this.read(request, 'modules/mail/allowhtmlimages')) === true;
  }

  /** Whether quotes in plain text are told apart. */
  async colorsQuotes(request: UserRequest): Promise<boolean> {
    return (await this.read(request, 'modules/mail/colorquoted')) !== false;
  }

  /** Whether mails that are sent are kept in the folder for them. */
  async keepsCopies(request: UserRequest): Promise<boolean> {
    return (await this.read(request, 'mail/nocopytosent')) !== true;
  }

  /** Whether answers to all name the other recipients in Cc. */
  async repliesInCc(request: UserRequest): Promise<boolean> {
    if (await this.properties.get(REPLY_ALL_CC, request.principal)) return true;
    return (await this.read(request, 'modules/mail/replyallcc')) === true;
  }

  /** Whether answers begin without the text of the original. */
  async repliesWithoutText(request: UserRequest): Promise<boolean> {
    return (await this.read(request, 'mail/ignorereplytext')) === true;
  }

  /** Whether mails that are forwarded are attached whole. */
  async forwardsWhole(request: UserRequest): Promise<boolean> {
    if (await this.properties.get(FORWARD_AS_ATTACHMENT, request.principal)) return true;
    return /^attachment$/i.test(String(await this.read(request, 'modules/mail/forwardmessage')));
  }

  /** Whether mails are plain text: new ones, and those that are read. */
  async usesPlainText(request: UserRequest): Promise<boolean> {
    return (await this.read(request, 'modules/mail/inlineattachments')) === false;
  }

  /**
   * Longest line of a text: that of the request, else, for plain text, the choice of the user; with 0 and undefined lines stay as
   * they are written.
   */
  async wrapsAfter(request: UserRequest, type: string, asked: number | undefined): Promise<number | undefined> {
    if (asked !== undefined || type !== 'text/plain') return asked;
    const chosen = await this.read(request, 'modules/mail/linewrap');
    return typeof chosen === 'number' && chosen > 0 ? chosen : undefined;
  }

  private async read({ principal, deadline, requestId, signal }: UserRequest, path: string): Promise<unknown> {
    try {
      return await this.caller.call(config.get, {
        principal,
        deadline: Math.min(deadline, Date.now() + PATIENCE_MS),
        requestId,
        signal,
        query: { path },
      });
    } catch (error) {
      log.warn({ path, error: describeError(error) }, 'a setting of the user cannot be read');
      return undefined;
    }
  }
}
