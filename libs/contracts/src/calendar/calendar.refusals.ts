import { FolderErrors } from '../folders/folder.errors';
import { AppointmentErrors, CalendarErrors, ObjectErrors } from './calendar.errors';

/** Errors of operations that take a folder. */
export const inFolder = [
  FolderErrors.notFound,
  AppointmentErrors.notACalendar,
  AppointmentErrors.notReadable,
  FolderErrors.notVisible,
  FolderErrors.badId,
];

/** Errors of operations that take an appointment in a folder. */
export const ofAppointment = [...inFolder, ObjectErrors.notFound, AppointmentErrors.wrongFolder];

/** Errors of what an appointment may contain. */
export const ofContent = [
  AppointmentErrors.endBeforeStart,
  AppointmentErrors.badColor,
  AppointmentErrors.badCharacter,
  AppointmentErrors.badRecurrenceType,
  AppointmentErrors.privateWithParticipants,
  AppointmentErrors.badInterval,
  AppointmentErrors.intervalMissing,
  AppointmentErrors.weekdayMissing,
  AppointmentErrors.dayInMonthMissing,
  AppointmentErrors.badMonth,
  AppointmentErrors.untilBeforeStart,
  AppointmentErrors.recurrenceWithoutType,
  AppointmentErrors.participantNotFound,
  CalendarErrors.unsupportedRule,
  CalendarErrors.valueTooLong,
  CalendarErrors.noWritePermission,
];
