import {
  MailErrors,
  mailSending,
  MAX_FORWARDS,
  type CallOf,
  type Handler,
  type MailData,
  type NestedMail,
  type UserRequest,
} from '@groupware/contracts';
import { createForward } from '@groupware/mail-content';
import { Handles, Properties } from '@groupware/service-kit';
import { Injectable } from '@nestjs/common';
import { MailPreferences } from '../accounts/mail-preferences';
import { toFileName } from '../domain/file-name';
import { requirePlace, toMailPath, type MailPlace } from '../domain/mail-path';
import { localeOf, OriginalMails, type ReadOriginal } from '../sending/original-mails';

/** Name of a mail as a file. */
const toMailName = (subject = ''): string => `${toFileName(subject) || 'mail'}.eml`;

/** A mail within the one that is passed on, as a file of it. */
const toAttachment = ({ id, filename, subject }: NestedMail) => ({
  id: id ?? '',
  content_type: 'message/rfc822',
  filename: filename ?? toMailName(subject),
  disp: 'attachment',
  content: null,
});

/** Prepares mails that pass others on. */
@Injectable()
export class ForwardPreparation {
  constructor(
    private readonly originals: OriginalMails,
    private readonly properties: Properties,
    private readonly preferences: MailPreferences,
  ) {}

  /** Text and files of one mail; several, or as the user's setting says, attached whole. @throws MSG-0080, MSG-0032 */
  async prepareForward(
    request: UserRequest,
    places: readonly MailPlace[],
    { view, maxSize }: { readonly view?: string; readonly maxSize?: number } = {},
  ): Promise<MailData> {
    const most = await this.properties.get(MAX_FORWARDS, request.principal);
    if (places.length > most) throw MailErrors.tooManyForwards(most);
    const [first] = places;
    const isWhole = places.length !== 1 || (await this.preferences.forwardsWhole(request));
    const options = localeOf(request);
    if (first && !isWhole) {
      const original = await this.originals.readOriginal(request, first, { view, maxSize, embedded: true });
      const prepared = createForward(original, options);
      return {
        ...prepared,
        attachments: [...(prepared.attachments ?? []), ...original.files, ...original.messages.map(toAttachment)],
        msgref: toMailPath(first),
      };
    }
    const whole: ReadOriginal[] = [];
    for (const place of places) whole.push(await this.originals.readOriginal(request, place));
    return {
      to: [],
      cc: [],
      bcc: [],
      subject: whole.length === 1 ? createForward(whole[0]!, options).subject : '',
      attachments: [
        { id: '1', content_type: 'text/plain', size: 0, disp: 'inline', content: '' },
        ...places.map((place, index) => ({
          id: String(index + 2),
          content_type: 'message/rfc822',
          filename: toMailName(whole[index]?.mail.subject),
          disp: 'attachment',
          content: null,
          msgref: toMailPath(place),
        })),
      ],
      msgref: places.map(toMailPath).join(','),
    };
  }
}

/** `forward`: a mail that passes another on, prepared. */
@Handles(mailSending.forward)
export class ForwardHandler implements Handler<typeof mailSending.forward> {
  constructor(private readonly forwards: ForwardPreparation) {}

  handle(call: CallOf<typeof mailSending.forward>): Promise<MailData> {
    const { folder, id, view, max_size: maxSize } = call.query;
    const places = id.split(',').map((each) => requirePlace(folder, each));
    return this.forwards.prepareForward(call, places, { view, maxSize });
  }
}
