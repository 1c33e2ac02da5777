import { Readable } from 'node:stream';
import { userCards, type UserPrincipal } from '@groupware/contracts';
import { Caller } from '@groupware/messaging';
import { Injectable } from '@nestjs/common';
import { toFileName } from '../domain/file-name';
import { OutgoingFiles, type OutgoingFile } from './outgoing-files';

/** The vCards of users as files of their mails. */
@Injectable()
export class AttachedCards {
  constructor(
    private readonly caller: Caller,
    private readonly files: OutgoingFiles,
  ) {}

  /** Keeps the card of the user until it is discarded. @throws CON-0125 */
  async keepCard(user: UserPrincipal): Promise<OutgoingFile> {
    const principal = { kind: 'internal', service: 'mail', contextId: user.contextId, user } as const;
    const { name, card } = await this.caller.call(userCards.find, { principal });
    return this.files.keepFile(user, Readable.from([Buffer.from(card)]), {
      name: `${toFileName(name) || 'vcard'}.vcf`,
      type: 'text/vcard',
    });
  }
}
