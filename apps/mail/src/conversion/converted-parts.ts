import { ConversionErrors, MailErrors, MAX_CONVERTED_BYTES, type UserRequest } from '@groupware/contracts';
import { decodeCharset } from '@groupware/mail-content';
import { Properties } from '@groupware/service-kit';
import { Injectable } from '@nestjs/common';
import { requireArgument } from '../domain/conversion-arguments';
import { isOfKind, type PartKind } from '../domain/data-source';
import { gatherBytes } from './converted-bytes';
import { OpenedMails } from '../downloads/opened-mails';
import { PartFiles } from '../downloads/part-files';

/** Reads parts of mails that are converted. */
@Injectable()
export class ConvertedParts {
  constructor(
    private readonly mails: OpenedMails,
    private readonly files: PartFiles,
    private readonly properties: Properties,
  ) {}

  /** The part that arguments name, as UTF-8; of any type without a kind. @throws CNV-0001, CNV-0005, CNV-0007, MSG-0032, MSG-0049 */
  async readPart(request: UserRequest, kind: PartKind | undefined, args: ReadonlyMap<string, string>): Promise<Buffer> {
    const folder = requireArgument(args, 'mail.conversion.fullname');
    const id = requireArgument(args, 'mail.conversion.mailid');
    const part = requireArgument(args, 'mail.conversion.sequenceid');
    const mail = await this.mails.openMail(request, folder, id, false);
    const file = await this.files.findFile(mail, { id: part });
    if (!file) throw MailErrors.attachmentNotFound(part.slice(0, 100));
    if (kind !== undefined && !isOfKind({ type: file.type, name: file.filename }, kind))
      throw ConversionErrors.noMatch(kind);
    const { contextId } = request.principal;
    const bytes = await gatherBytes(file.open(), await this.properties.get(MAX_CONVERTED_BYTES, { contextId }));
    const charset = file.part?.parameters.charset;
    return charset === undefined ? bytes : Buffer.from(decodeCharset(bytes, charset));
  }
}
