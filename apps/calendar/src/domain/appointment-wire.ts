import {
  toFeedFolderId,
  type AppointmentConfirmation,
  type AppointmentData,
  type AppointmentParticipant,
  type AppointmentUser,
} from '@groupware/contracts';
import { fieldsFromRule, firstOccurrence, type Occurrence, type Series, type ZoneOffsets } from '@groupware/recurrence';
import { type Appointment, type Attendee, CONFIRM, isException, isSeries, PARTICIPANT } from './appointment';
import { dayOf } from './local-days';
import { type Recurring, parseStoredRule, seriesOf, startLocalOf, zoneOf } from './series';

/** Options of the wire form of an appointment. */
export interface WireView {
  /** The folder in which it is shown. */
  readonly folderId: number;
  /** The user of the calendar, whose alarms are shown. */
  readonly calendarUser: number;
  readonly zone: ZoneOffsets;
  /** Set when one occurrence of a series is shown. */
  readonly occurrence?: Occurrence;
  /** Others see times only. */
  readonly anonymous?: boolean;
}

/** Title of a private appointment for other users. */
export const ANONYMOUS_TITLE = 'Private';

/** The properties of a private appointment that others see besides its recurrence; the title is {@link ANONYMOUS_TITLE}. */
export const ANONYMOUS_PROPERTIES: ReadonlySet<string> = new Set([
  'id',
  'folder_id',
  'created_by',
  'modified_by',
  'creation_date',
  'last_modified',
  'last_modified_utc',
  'start_date',
  'end_date',
  'full_time',
  'timezone',
  'shown_as',
  'private_flag',
  'sequence',
  'recurrence_id',
  'recurrence_position',
  'recurrence_date_position',
  'recurrence_type',
]);

/** An appointment as clients see it. Values that are not set are left out. */
export function toAppointmentData(appointment: Appointment, view: WireView): AppointmentData {
  const { zone } = view;
  const shift = (ms: number): number => (appointment.floating ? ms : zone.instantToLocal(ms));
  // The start of an imported series need not be one of its occurrences.
  const shown = view.occurrence ?? (isSeries(appointment) ? firstOccurrence(seriesOf(appointment)) : undefined);
  const startMs = shown?.startMs ?? appointment.startMs;
  const endMs = shown?.endMs ?? appointment.endMs;
  const times: Partial<AppointmentData> = {
    id: String(appointment.id),
    folder_id: appointment.isExternal ? toFeedFolderId(view.folderId) : String(view.folderId),
    created_by: String(appointment.createdBy),
    modified_by: String(appointment.modifiedBy),
    creation_date: zone.instantToLocal(appointment.created),
    // A timestamp, not a time of the calendar: no zone shifts it.
    last_modified: appointment.lastModified,
    last_modified_utc: appointment.lastModified,
    start_date: shift(startMs),
    end_date: shift(endMs),
    full_time: appointment.fullTime,
    timezone: appointment.timeZone,
    shown_as: appointment.shownAs,
    private_flag: appointment.classification > 0,
    sequence: appointment.sequence,
    ...toRecurrenceData(appointment, view),
  };
  if (view.anonymous) return omitUndefined({ ...times, title: ANONYMOUS_TITLE });
  return omitUndefined({
    ...times,
    title: appointment.title ?? undefined,
    location: appointment.location ?? undefined,
    note: appointment.note ?? undefined,
    categories: appointment.categories ?? undefined,
    color_label: appointment.color ?? 0,
    uid: appointment.uid,
    number_of_attachments: appointment.attachments,
    lastModifiedOfNewestAttachmentUTC: appointment.newestAttachment ?? undefined,
    alarm: alarmOf(appointment, view.calendarUser) ?? undefined,
    ...toAttendeeData(appointment.attendees),
    organizer: appointment.organizer ?? undefined,
    organizerId: appointment.organizerId ?? undefined,
    principal: appointment.principal ?? undefined,
    principalId: appointment.principalId ?? undefined,
  });
}

/** Wire form of the attendees. */
export const toAttendeeData = (
  attendees: readonly Attendee[],
): Pick<AppointmentData, 'participants' | 'users' | 'confirmations'> => ({
  participants: attendees.filter((attendee) => attendee.listed).map(toParticipantData),
  users: attendees.filter(isUser).map(toUserData),
  confirmations: attendees.filter(isExternal).map(toConfirmationData),
});

const isUser = (attendee: Attendee): boolean => attendee.type === PARTICIPANT.user && !attendee.hidden;
const isExternal = (attendee: Attendee): boolean => attendee.type === PARTICIPANT.external;

function alarmOf(appointment: Appointment, userId: number): number | null | undefined {
  return appointment.attendees.find(({ type, entity }) => type === PARTICIPANT.user && entity === userId)?.alarm;
}

/** One entry of `participants`. */
export const toParticipantData = (attendee: Attendee): AppointmentParticipant =>
  omitUndefined({
    id: attendee.entity ?? undefined,
    type: attendee.type,
    mail: attendee.type === PARTICIPANT.external ? (attendee.mail ?? undefined) : undefined,
    display_name: attendee.type === PARTICIPANT.external ? (attendee.displayName ?? undefined) : undefined,
    // A resource has accepted unless it says otherwise.
    confirm:
      attendee.type === PARTICIPANT.resource && attendee.confirm !== CONFIRM.accepted ? attendee.confirm : undefined,
  });

const toUserData = (attendee: Attendee): AppointmentUser =>
  omitUndefined({
    id: attendee.entity!,
    display_name: attendee.displayName ?? undefined,
    confirm: attendee.confirm,
    confirmmessage: attendee.message ?? undefined,
  });

const toConfirmationData = (attendee: Attendee): AppointmentConfirmation =>
  omitUndefined({
    type: attendee.type,
    mail: attendee.mail ?? undefined,
    display_name: attendee.displayName ?? undefined,
    status: attendee.confirm,
    message: attendee.message ?? undefined,
  });

function toRecurrenceData(appointment: Appointment, view: WireView): Partial<AppointmentData> {
  if (isException(appointment))
    return {
      recurrence_id: appointment.seriesId!,
      recurrence_position: appointment.position ?? undefined,
      recurrence_date_position: dayOf(appointment.recurrenceLocalMs!),
    };
  if (!isSeries(appointment)) return { recurrence_type: 0 };
  return {
    recurrence_id: appointment.id,
    ...toSeriesData(appointment),
    ...(view.occurrence && {
      recurrence_position: view.occurrence.position,
      recurrence_date_position: dayOf(view.occurrence.localMs),
    }),
  };
}

/** Recurrence fields of a series; without those of the rule when numbers can't say what it means. */
export function toSeriesData(appointment: Recurring, series: Series = seriesOf(appointment)): Partial<AppointmentData> {
  const first = firstOccurrence(series);
  const fields =
    appointment.rule === null || appointment.rdates?.length
      ? undefined
      : fieldsFromRule(parseStoredRule(appointment.rule), {
          fullTime: appointment.fullTime,
          timeZone: zoneOf(appointment),
          startLocalMs: startLocalOf(appointment),
        });
  return {
    ...fields,
    ...(appointment.changes?.length && { change_exceptions: days(appointment.changes) }),
    ...(appointment.exdates?.length && { delete_exceptions: days(appointment.exdates) }),
    recurrence_start: first && dayOf(first.localMs),
  };
}

const days = (local: readonly number[]): number[] => [...new Set(local.map(dayOf))].sort((a, b) => a - b);

const omitUndefined = <T extends object>(value: T): T =>
  Object.fromEntries(Object.entries(value).filter(([, entry]) => entry !== undefined)) as T;
