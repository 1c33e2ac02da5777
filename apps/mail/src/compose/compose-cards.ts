import { Readable } from 'node:stream';
import { userCards, type ComposeAttachment, type ComposeSpaceQuery, type UserPrincipal } from '@groupware/contracts';
import { Caller } from '@groupware/messaging';
import { Injectable } from '@nestjs/common';
import { toFileName } from '../domain/file-name';
import { OutgoingFiles } from '../sending/outgoing-files';
import { ComposeFiles } from './compose-files';
import { ComposeSpaces, toAttachmentView } from './compose-spaces';

const ORIGIN = 'VCARD';
/** Tells the card of the user from cards that were uploaded: a second one is not added. */
const SOURCE = 'vcard';

/** Attaches the vCards of users to the mails that they write. */
@Injectable()
export class ComposeCards {
  constructor(
    private readonly caller: Caller,
    private readonly spaces: ComposeSpaces,
    private readonly composeFiles: ComposeFiles,
    private readonly files: OutgoingFiles,
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
    const principal = { kind: 'internal', service: 'mail', contextId: user.contextId, user } as const;
    const { name, card } = await this.caller.call(userCards.find, { principal });
    const file = await this.files.keepFile(user, Readable.from([Buffer.from(card)]), {
      name: `${toFileName(name) || 'vcard'}.vcf`,
      type: 'text/vcard',
    });
    const [added] = await this.composeFiles.addFiles(user, query, [{ ...file, origin: ORIGIN, source: SOURCE }]);
    if (added) return toAttachmentView(added);
    // Another request was faster.
    const { attachments: now } = await this.spaces.getSpace(user, query);
    return now.find(({ origin }) => origin === ORIGIN)!;
  }
}
