import { config } from '@groupware/contracts';
import { Caller } from '@groupware/messaging';
import { Logger } from '@groupware/service-kit';
import { Injectable } from '@nestjs/common';
import type { MailRequest } from './mailboxes';

const log = Logger.for('mail.preferences');

/** What users chose in their settings, for requests that do not say it. */
@Injectable()
export class MailPreferences {
  constructor(private readonly caller: Caller) {}

  /** Whether mails are deleted for good instead of going to the trash. */
  deletesForGood(request: MailRequest): Promise<boolean> {
    return this.isChosen(request, 'deletemail');
  }

  /** Whether pictures of other servers are shown. */
  showsPictures(request: MailRequest): Promise<boolean> {
    return this.isChosen(request, 'allowhtmlimages');
  }

  /** Each of these is off unless it was chosen: it stays so while settings cannot be read. */
  private async isChosen({ principal, deadline, requestId, signal }: MailRequest, name: string): Promise<boolean> {
    try {
      const query = { path: `modules/mail/${name}` };
      return (await this.caller.call(config.get, { principal, deadline, requestId, signal, query })) === true;
    } catch (error) {
      log.warn({ error: String(error), name }, 'a setting of the user cannot be read');
      return false;
    }
  }
}
