import { mailComposeSpace, type CallOf, type ComposeDeleted, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { ComposeSpaces } from '../compose/compose-spaces';

/** Answer of deletions: clients look for it in either place. */
export const COMPOSE_DELETED: ComposeDeleted = { data: { success: true }, success: true };

/** Drops a mail that is being written. */
@Handles(mailComposeSpace.delete)
export class ComposeDeleteHandler implements Handler<typeof mailComposeSpace.delete> {
  constructor(private readonly spaces: ComposeSpaces) {}

  async handle({ principal, query }: CallOf<typeof mailComposeSpace.delete>): Promise<ComposeDeleted> {
    await this.spaces.deleteSpace(principal, query);
    return COMPOSE_DELETED;
  }
}
