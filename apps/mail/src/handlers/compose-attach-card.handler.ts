import { mailComposeCard, type CallOf, type ComposeAttachment, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { ComposeCards } from '../compose/compose-cards';

/** Attaches the vCard of the user. */
@Handles(mailComposeCard.add)
export class ComposeAttachCardHandler implements Handler<typeof mailComposeCard.add> {
  constructor(private readonly cards: ComposeCards) {}

  handle({ principal, query }: CallOf<typeof mailComposeCard.add>): Promise<ComposeAttachment> {
    return this.cards.attachCard(principal, query);
  }
}
