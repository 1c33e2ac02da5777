import { action, defineModule, Field, json, one, requireRights } from '../kit';
import { QuotaErrors } from '../quota/quota.errors';
import { AppointmentErrors, CalendarErrors } from './calendar.errors';
import { AppointmentConflict, AppointmentCreation, TimeZoneQuery } from './calendar.contract';
import { ofAppointment } from './calendar.refusals';
import { APPOINTMENT_RIGHTS } from './appointment.access';

/** Which appointment is answered. */
export class AppointmentAnswerQuery extends TimeZoneQuery {
  @Field.id({ doc: 'Appointment' }) id!: string;
  @Field.id({ doc: 'Folder of the appointment, as the user sees it' }) folder!: string;
  @Field.timestamp({ doc: 'Timestamp of the appointment as the client knows it' }) timestamp!: number;
  @Field.int({ doc: 'Number of the occurrence of a series, from 1', optional: true, min: 0 }) occurrence?: number;
  @Field.boolean({
    doc: 'false: whoever takes back that he declined is told what stands in the way instead; default: true',
    optional: true,
  })
  ignore_conflicts?: boolean;
}

/** The answer of a participant. */
export class AppointmentAnswer {
  @Field.int({ doc: '0 none, 1 accepted, 2 declined, 3 tentative', min: 0, max: 3 }) confirmation!: number;
  @Field.text({ doc: 'Message beside the answer; absent: as it was', optional: true, maxLength: 8192 })
  confirmmessage?: string;
  @Field.int({
    doc: 'Another user, in his shared calendar, or with type 3 a resource; default: the user himself',
    optional: true,
    min: 0,
  })
  id?: number;
  @Field.int({
    doc: '5 for an external participant, 3 for a resource that the user manages, in any folder he sees',
    optional: true,
  })
  type?: number;
  @Field.text({ doc: 'Mail address of an external participant', optional: true, maxLength: 1024 }) mail?: string;
}

/** The outcome of an answer: nothing, or what is in the way when the client asked for that. */
export class AppointmentAnswerOutcome {
  @Field.list(() => AppointmentConflict, { doc: 'What is in the way', optional: true })
  conflicts?: AppointmentConflict[];
}

/** Appointment to copy. */
export class AppointmentCopyQuery {
  @Field.id({ doc: 'Appointment' }) id!: string;
  @Field.id({ doc: 'Folder of the appointment, as the user sees it' }) folder!: string;
  @Field.boolean({ doc: 'Store it in spite of soft conflicts' }) ignore_conflicts!: boolean;
  @Field.text({ doc: 'Zone of the times in the answer', maxLength: 128 }) timezone!: string;
}

/** Target of a copy. */
export class AppointmentCopy {
  @Field.id({ doc: 'Calendar folder; default: that of the original', optional: true }) folder_id?: string;
}

/** Answers to invitations, and copies. */
export const calendarAnswers = defineModule('calendar', {
  confirm: action({
    access: requireRights(APPOINTMENT_RIGHTS.reply),
    appScopes: ['write_calendar'],
    http: 'PUT',
    doc: 'Answers an invitation, for the whole appointment or one occurrence of a series',
    query: AppointmentAnswerQuery,
    body: json(AppointmentAnswer),
    reply: one(AppointmentAnswerOutcome),
    auth: 'session',
    capability: 'calendar',
    errors: [
      ...ofAppointment,
      CalendarErrors.badTimeZone,
      AppointmentErrors.badCharacter,
      AppointmentErrors.externalWithoutAddress,
      AppointmentErrors.occurrenceGone,
      AppointmentErrors.notASeries,
      CalendarErrors.noWritePermission,
      CalendarErrors.attendeeNotFound,
      CalendarErrors.attendeeChange,
      CalendarErrors.concurrentChange,
      CalendarErrors.providerReadOnly,
      QuotaErrors.exceeded,
    ],
  }),
  copy: action({
    access: requireRights(APPOINTMENT_RIGHTS.read, APPOINTMENT_RIGHTS.create),
    appScopes: ['write_calendar'],
    http: 'PUT',
    doc: 'Copies an appointment or a series without unique id, attachments and exceptions, or answers the conflicts that stand against it',
    query: AppointmentCopyQuery,
    body: json(AppointmentCopy),
    reply: one(AppointmentCreation),
    auth: 'session',
    capability: 'calendar',
    errors: [
      ...ofAppointment,
      CalendarErrors.badTimeZone,
      CalendarErrors.noWritePermission,
      CalendarErrors.providerReadOnly,
      AppointmentErrors.privateNotHere,
      QuotaErrors.exceeded,
    ],
  }),
});
