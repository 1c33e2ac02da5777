import type { ComposeAttachment, ComposeSpaceQuery, UserPrincipal } from '@groupware/contracts';
import { Injectable } from '@nestjs/common';
import { AttachedCards } from '../sending/attached-cards';
import { ComposeFiles } from './compose-files';
import { ComposeSpaces, toAttachmentView } from './compose-spaces';

const ORIGIN = 'VCARD';
/** Tells the card of the user from cards that were uploaded: a second one is not added. */
const SOURCE = 'vcard';

/** Attaches the vCards of users to the mails that they write. */
@Injectable()
export class ComposeCards {
  constructor(
    private readonly cards: AttachedCards,
    private readonly spaces: ComposeSpaces,
    private readonly composeFiles: ComposeFiles,
  ) {}

  /**
   * Attaches the card of the user; where it is attached already, answers that.
   * @throws MSGCS-0007, MSGCS-0010, CON-0125, and what {@link ComposeFiles.addFiles} throws
   */
  async attachCard(
    user: UserPrincipal,
    query: Pick<ComposeSpaceQuery, 'id' | 'clientToken'>,
  ): Promise<ComposeAttachment> {
    const { attachments } = await this.spaces.getSpace(user, query);
    const present = attachments.find(({ origin }) => origin === ORIGIN);
    if (present) return present;
    const file = await this.cards.keepOwnCard(user);
    const [added] = await this.composeFiles.addFiles(user, query, [{ ...file, origin: ORIGIN, source: SOURCE }]);
    if (added) return toAttachmentView(added);
    // Another request was faster.
    const { attachments: now } = await this.spaces.getSpace(user, query);
    return now.find(({ origin }) => origin === ORIGIN)!;
  }
}
