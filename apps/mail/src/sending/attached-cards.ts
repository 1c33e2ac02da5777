import { Readable } from 'node:stream';
import { userCards, type UserPrincipal } from '@groupware/contracts';
import { Caller } from '@groupware/messaging';
import { Injectable } from '@nestjs/common';
import { toFileName } from '../domain/file-name';
import { OutgoingFiles, type OutgoingFile } from './outgoing-files';

/** vCards as files of mails. */
@Injectable()
export class AttachedCards {
  constructor(
    private readonly caller: Caller,
    private readonly files: OutgoingFiles,
  ) {}

  /** Keeps the card of the user until it is discarded. @throws CON-0125 */
  async keepOwnCard(user: UserPrincipal): Promise<OutgoingFile> {
    const principal = { kind: 'internal', service: 'mail', contextId: user.contextId, user } as const;
    const { name, card } = await this.caller.call(userCards.find, { principal });
    return this.keepCards(user, name, Buffer.from(card));
  }

  /** Keeps vCards as one file until it is discarded. @param contact name that the file has */
  keepCards(user: UserPrincipal, contact: string, bytes: Buffer): Promise<OutgoingFile> {
    const name = `${toFileName(contact) || 'vcard'}.vcf`;
    return this.files.keepFile(user, Readable.from([bytes]), { name, type: 'text/vcard' });
  }
}
