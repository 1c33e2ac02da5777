import { config } from '@groupware/contracts';
import { Caller } from '@groupware/messaging';
import { describeError, Logger } from '@groupware/service-kit';
import { Injectable } from '@nestjs/common';
import type { MailRequest } from './mailboxes';

/** Longest wait for a setting, ms. */
const PATIENCE_MS = 2_000;

const log = Logger.for('mail.preferences');

/** What users chose in their settings, for requests that do not say it. A choice that cannot be read now is the usual one. */
@Injectable()
export class MailPreferences {
  constructor(private readonly caller: Caller) {}

  /** Whether mails are deleted for good instead of going to the trash. */
  async deletesForGood(request: MailRequest): Promise<boolean> {
    return (await this.read(request, 'deletemail')) === true;
  }

  /** Whether pictures of other servers are shown. */
  async showsPictures(request: MailRequest): Promise<boolean> {
    return (await this.read(request, 'allowhtmlimages')) === true;
  }

  /** Whether answers to all name the other recipients in Cc. */
  async repliesInCc(request: MailRequest): Promise<boolean> {
    return (await this.read(request, 'replyallcc')) === true;
  }

  /** Whether mails that are forwarded are attached whole. */
  async forwardsWhole(request: MailRequest): Promise<boolean> {
    return (await this.read(request, 'forwardmessage')) === 'Attachment';
  }

  /** Whether new mails are plain text. */
  async writesPlain(request: MailRequest): Promise<boolean> {
    return (await this.read(request, 'inlineattachments')) === false;
  }

  /**
   * Longest line of a text: that of the request, else, for plain text, the choice of the user; with 0 and undefined lines stay as
   * they are written.
   */
  async wrapsAfter(request: MailRequest, type: string, asked: number | undefined): Promise<number | undefined> {
    if (asked !== undefined || type !== 'text/plain') return asked;
    const chosen = await this.read(request, 'linewrap');
    return typeof chosen === 'number' && chosen > 0 ? chosen : undefined;
  }

  private async read({ principal, deadline, requestId, signal }: MailRequest, name: string): Promise<unknown> {
    try {
      return await this.caller.call(config.get, {
        principal,
        deadline: Math.min(deadline, Date.now() + PATIENCE_MS),
        requestId,
        signal,
        query: { path: `modules/mail/${name}` },
      });
    } catch (error) {
      log.warn({ name, error: describeError(error) }, 'a setting of the user cannot be read');
      return undefined;
    }
  }
}
