import { ConversionErrors, type ConversionEnd, type UserPrincipal, type UserRequest } from '@groupware/contracts';
import { readCards, readContact } from '@groupware/vcard';
import { pauseAfterTurn } from '@groupware/service-kit';
import { Injectable } from '@nestjs/common';
import { parseArguments, requireArgument } from '../domain/conversion-arguments';
import { isOfKind, parseSource } from '../domain/data-source';
import { toPlace } from '../domain/mail-path';
import { AttachedCards } from '../sending/attached-cards';
import { OriginalMails } from '../sending/original-mails';
import { OutgoingFiles, type OutgoingFile } from '../sending/outgoing-files';
import { ConvertedContacts } from './converted-contacts';

/** Data of the sources of conversions as files of mails. */
@Injectable()
export class DataSourceFiles {
  constructor(
    private readonly contacts: ConvertedContacts,
    private readonly originals: OriginalMails,
    private readonly files: OutgoingFiles,
    private readonly cards: AttachedCards,
  ) {}

  /**
   * Keeps the data of a source until it is discarded: contacts as vCards, a part of a mail as it is.
   * @throws CNV-0001, CNV-0002, CNV-0003, CNV-0005, MSG-0067, and as {@link ConvertedContacts.readCards}
   */
  async keepData(request: UserRequest, { identifier, args: list }: ConversionEnd): Promise<OutgoingFile> {
    const { source, kind } = parseSource(identifier);
    const args = parseArguments(list);
    if (source === 'contact') return this.keepCards(request.principal, await this.contacts.readCards(request, args));
    const folder = requireArgument(args, 'mail.conversion.fullname');
    const id = requireArgument(args, 'mail.conversion.mailid');
    const part = requireArgument(args, 'mail.conversion.sequenceid');
    const [file] = await this.originals.keepParts(request, toPlace(folder, id), [{ part }]);
    if (kind === undefined || isOfKind(file!, kind)) return file!;
    await this.files.discardFiles([file!]);
    throw ConversionErrors.noMatch(identifier);
  }

  /** Keeps vCards as one file, which has the name of the first contact. @throws CNV-0005 without any card */
  async keepCards(user: UserPrincipal, bytes: Buffer): Promise<OutgoingFile> {
    return this.cards.keepCards(user, await findName(bytes), bytes);
  }
}

/** The name of the first contact. @throws CNV-0005 */
async function findName(bytes: Buffer): Promise<string> {
  for await (const { card } of readCards([bytes], { pause: pauseAfterTurn }))
    if (card) return readContact(card).contact.texts['display_name'] ?? '';
  throw ConversionErrors.noMatch('com.example.mail.vcard');
}
