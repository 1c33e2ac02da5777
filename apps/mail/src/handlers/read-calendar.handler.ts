import { MailErrors, mailScheduling, type CallOf, type Handler, type MailCalendar } from '@groupware/contracts';
import { decodeCharset, findPart, MailHeaders, type MessagePart } from '@groupware/mail-content';
import { Handles } from '@groupware/service-kit';
import { OpenedMails } from '../downloads/opened-mails';
import { PartFiles } from '../downloads/part-files';

const TYPES = new Set(['text/calendar', 'application/ics']);

/** `mail-scheduling.read`: a calendar of a mail. */
@Handles(mailScheduling.read)
export class ReadCalendarHandler implements Handler<typeof mailScheduling.read> {
  constructor(
    private readonly mails: OpenedMails,
    private readonly files: PartFiles,
  ) {}

  async handle({ principal, query, ...call }: CallOf<typeof mailScheduling.read>): Promise<MailCalendar> {
    const { folder, id, part: wanted, maxBytes } = query;
    const user = 'user' in principal ? principal.user : undefined;
    if (!user) throw MailErrors.notFound(id, folder);
    const { source } = await this.mails.openMail({ ...call, principal: user }, folder, id, false);
    const part = wanted ? findPart(source.structure, { id: wanted }) : findCalendar(source.structure);
    const file =
      part && (await this.files.findFile({ source } as Parameters<PartFiles['findFile']>[0], { id: part.id }));
    if (!file) throw MailErrors.attachmentNotFound(wanted ?? '');
    const pieces: Buffer[] = [];
    let size = 0;
    for await (const piece of file.open()) {
      size += piece.length;
      if (size > maxBytes) throw MailErrors.attachmentNotFound(part.id);
      pieces.push(piece);
    }
    const text = decodeCharset(Buffer.concat(pieces), part.parameters.charset ?? 'utf-8');
    const from = new MailHeaders(await source.fetchHeader()).getAddresses('from');
    const address = from.length === 1 ? from[0]![1] : '';
    return { text, ...(address && { sender: address.toLowerCase() }) };
  }
}

/** The first part that is a calendar. */
function findCalendar(part: MessagePart): MessagePart | undefined {
  if (TYPES.has(part.type)) return part;
  for (const child of part.children) {
    const found = findCalendar(child);
    if (found) return found;
  }
  return undefined;
}
