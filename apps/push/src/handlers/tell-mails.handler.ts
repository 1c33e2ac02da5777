import { pushMails, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { NewMails } from '../new-mails';
import { shorten } from '../domain/new-mail';

/** `tell`: mails came in at a server to which the mail service listens. */
@Handles(pushMails.tell)
export class TellMailsHandler implements Handler<typeof pushMails.tell> {
  constructor(private readonly mails: NewMails) {}

  async handle({ principal, query }: CallOf<typeof pushMails.tell>): Promise<undefined> {
    const { contextId } = principal;
    await this.mails.tell({ contextId, userId: query.user }, query.mails.map(shorten));
  }
}
