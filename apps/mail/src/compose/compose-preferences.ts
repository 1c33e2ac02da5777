import { config } from '@groupware/contracts';
import { Caller } from '@groupware/messaging';
import { Injectable } from '@nestjs/common';
import type { MailRequest } from '../accounts/mailboxes';

/** Longest wait for a setting, ms. */
const PATIENCE_MS = 2_000;

/** What users chose in their settings about mails that they write. A choice that cannot be read now is the usual one. */
@Injectable()
export class ComposePreferences {
  constructor(private readonly caller: Caller) {}

  /** Answers to all name the other recipients in Cc. */
  async repliesInCc(request: MailRequest): Promise<boolean> {
    return (await this.read(request, 'replyallcc')) === true;
  }

  /** Mails that are forwarded are attached whole. */
  async forwardsWhole(request: MailRequest): Promise<boolean> {
    return (await this.read(request, 'forwardmessage')) === 'Attachment';
  }

  /** New mails are plain text. */
  async writesPlain(request: MailRequest): Promise<boolean> {
    return (await this.read(request, 'inlineattachments')) === false;
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
    } catch {
      return undefined;
    }
  }
}
