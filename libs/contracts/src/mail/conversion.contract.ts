import { calendarAnswers } from '../calendar/calendar-answers.contract';
import { calendarImport } from '../calendar/icalendar.contract';
import { chronos } from '../chronos/chronos.contract';
import { contactExport, contactImport } from '../contacts/contact-transfer.contract';
import { RequestErrors } from '../edge/edge.errors';
import { MailAccountErrors } from '../mail-account/mail-account.errors';
import { action, defineModule, errorCatalog, Field, json, property, value, type Operation } from '../kit';
import { taskImport } from '../tasks/task-transfer.contract';
import { OWN_MAILBOXES } from './mail.access';
import { ImapErrors, MailErrors } from './mail.errors';

/** Conversions (prefix CNV; the public API lists no numbers). */
export const ConversionErrors = errorCatalog('CNV', {
  missingArgument: { number: 1, category: 'USER_INPUT', message: 'The argument %1 is missing.', http: 400 },
  badArgument: { number: 2, category: 'USER_INPUT', message: 'The argument %1 is invalid: %2.', http: 400 },
  unknownSource: { number: 3, category: 'USER_INPUT', message: 'There is no data source %1.', http: 400 },
  unknownHandler: { number: 4, category: 'USER_INPUT', message: 'There is no data handler %1.', http: 400 },
  noMatch: { number: 5, category: 'USER_INPUT', message: 'The data is not of the kind that %1 takes.', http: 400 },
  notStored: { number: 6, category: 'USER_INPUT', message: 'An entry was not stored: %1.', http: 400 },
  tooLarge: { number: 7, category: 'USER_INPUT', message: 'The data is larger than %1 bytes.', http: 400 },
});

/** Largest data that is converted. */
export const MAX_CONVERTED_BYTES = property<number>({
  key: 'com.example.conversion.maxSize',
  default: 4_194_304,
  min: 1_024,
  max: 33_554_432,
  scopes: ['context', 'server'],
  doc: 'Largest part of a mail, and largest vCards of contacts, that are converted, bytes; larger ones give CNV-0007.',
});

/** One end of a conversion. */
export class ConversionEnd {
  @Field.text({ doc: 'com.example.mail.ical …', maxLength: 255 }) identifier!: string;
  @Field.any({
    doc: 'Arguments: a list of objects with name and value, or of objects with one field, the name',
    optional: true,
  })
  args?: unknown;
}

/** Source and target of a conversion. */
export class ConversionBody {
  @Field.object(() => ConversionEnd, {
    doc: 'com.example.mail.ical, com.example.mail.vcard or, of any type, com.example.url.mail.attachment: a part of a mail; com.example.contact: contacts, with contact.pairs [{folder, id}]',
  })
  datasource!: ConversionEnd;
  @Field.object(() => ConversionEnd, {
    doc: 'com.example.ical and com.example.contact store; com.example.ical.json and com.example.contact.json tell what is in it; com.example.mail.vcard attaches it to a new draft',
  })
  datahandler!: ConversionEnd;
}

/** An object that was stored. */
export interface ConvertedObject {
  readonly folder_id: string;
  readonly id: string;
}

const ofStores = (
  [calendarImport.ICAL, taskImport.ICALTasks, contactImport.VCARD, contactExport.VCARDObjects] as readonly Operation[]
).flatMap(({ errors = [] }) => errors);

/** Operations of other modules by which conversions read and store; they check the rights of the user. */
export const CONVERSION_CALLS: readonly Operation[] = [
  chronos.resolve,
  contactExport.VCARDObjects,
  calendarImport.ICAL,
  calendarAnswers.confirm,
  taskImport.ICALTasks,
  contactImport.VCARD,
];

/** Conversions of parts of mails and of contacts. */
export const conversion = defineModule(
  'conversion',
  {
    convert: action({
      access: OWN_MAILBOXES,
      auth: 'session',
      capability: 'webmail',
      http: 'PUT',
      doc: 'Makes appointments, tasks and contacts of a part of a mail, or tells what is in it; attaches contacts to a draft',
      body: json(ConversionBody),
      reply: value<readonly ConvertedObject[] | readonly Record<string, unknown>[]>('what was stored, or the objects'),
      idempotency: 'claimed',
      repeatable: false,
      deadlineMs: 120_000,
      errors: [
        ...new Set([
          ...Object.values(ConversionErrors),
          RequestErrors.noModulePermission,
          MailErrors.loginFailed,
          MailErrors.unreachable,
          MailErrors.notFound,
          MailErrors.attachmentNotFound,
          MailErrors.holdsNoMessages,
          ImapErrors.folderNotFound,
          MailAccountErrors.notFound,
          ...ofStores,
        ]),
      ],
    }),
  },
  { service: 'mail' },
);
