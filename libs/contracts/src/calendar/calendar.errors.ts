import { errorCatalog } from '../kit';

/** Errors of appointments under their `APP` codes (API page "Errors"). */
export const AppointmentErrors = errorCatalog('APP', {
  externalWithoutAddress: {
    number: 8,
    category: 'USER_INPUT',
    message: 'An external participant needs a mail address.',
  },
  idGiven: { number: 14, category: 'ERROR', message: 'A new appointment must not have an id.', http: 400 },
  unsupportedFreeBusyType: {
    number: 19,
    category: 'ERROR',
    message: 'The free/busy type %1 is not supported.',
    http: 400,
  },
  endBeforeStart: { number: 20, category: 'USER_INPUT', message: 'The end is before the start.' },
  badColor: { number: 21, category: 'USER_INPUT', message: 'The colour %1 is not supported.' },
  privateWithParticipants: {
    number: 23,
    category: 'USER_INPUT',
    message: 'A private appointment must not have further participants.',
  },
  startMissing: { number: 26, category: 'USER_INPUT', message: 'The start is missing.' },
  endMissing: { number: 27, category: 'USER_INPUT', message: 'The end is missing.' },
  notAttachable: {
    number: 36,
    category: 'PERMISSION_DENIED',
    message: 'No permission to attach or detach files in folder %1.',
  },
  badDayInMonth: { number: 42, category: 'USER_INPUT', message: 'The day of the month %1 is wrong.' },
  lastParticipant: { number: 51, category: 'USER_INPUT', message: 'The last participant must not be removed.' },
  notACalendar: { number: 54, category: 'USER_INPUT', message: 'Folder %1 is no calendar.' },
  badInterval: { number: 55, category: 'USER_INPUT', message: 'The interval %1 is wrong.' },
  badDays: { number: 56, category: 'USER_INPUT', message: 'The weekdays %1 are wrong.' },
  wrongFolder: { number: 59, category: 'PERMISSION_DENIED', message: 'Appointment %1 is not in folder %2.' },
  notReadable: { number: 62, category: 'PERMISSION_DENIED', message: 'No permission to read the appointment %1.' },
  badMonth: { number: 64, category: 'USER_INPUT', message: 'The month %1 of a yearly series is wrong.' },
  occurrenceMoves: {
    number: 66,
    category: 'USER_INPUT',
    message: 'A single occurrence must not move to another folder.',
  },
  privateNotHere: {
    number: 70,
    category: 'USER_INPUT',
    message: 'The private flag is allowed in private folders only.',
  },
  badCharacter: { number: 71, category: 'USER_INPUT', message: 'The character %1 is not allowed in the field %2.' },
  unknownPosition: { number: 74, category: 'USER_INPUT', message: 'The occurrence %1 does not exist in the series.' },
  ownerStays: {
    number: 76,
    category: 'PERMISSION_DENIED',
    message: 'The owner of the calendar must stay a participant.',
  },
  exceptionTypeChanges: {
    number: 82,
    category: 'USER_INPUT',
    message: 'The recurrence type of an exception must not change.',
  },
  exceptionPositionChanges: {
    number: 83,
    category: 'USER_INPUT',
    message: 'The recurrence position of an exception must not change.',
  },
  untilBeforeStart: { number: 86, category: 'USER_INPUT', message: 'The series ends before it starts.' },
  intervalMissing: { number: 87, category: 'USER_INPUT', message: 'The interval of the series is missing.' },
  weekdayMissing: { number: 89, category: 'USER_INPUT', message: 'The weekdays of the weekly series are missing.' },
  dayInMonthMissing: { number: 90, category: 'USER_INPUT', message: 'The day of the month is missing.' },
  monthMissing: { number: 91, category: 'USER_INPUT', message: 'The month of the yearly series is missing.' },
  seriesMoves: { number: 93, category: 'USER_INPUT', message: 'A series must not move to another folder.' },
  patternTooShort: {
    number: 94,
    category: 'USER_INPUT',
    message: 'The search text is too short: it needs at least %1 characters.',
  },
  untilAndOccurrences: {
    number: 95,
    category: 'USER_INPUT',
    message: 'The end of the series and the number of occurrences are given together.',
  },
  recurrenceWithoutType: {
    number: 96,
    category: 'USER_INPUT',
    message: 'Recurrence data was given for an appointment that is no series: %1.',
  },
  superfluousRecurrence: {
    number: 97,
    category: 'USER_INPUT',
    message: 'The recurrence data %1 does not fit the type.',
  },
  occurrenceGone: {
    number: 98,
    category: 'USER_INPUT',
    message: 'The occurrence %1 was deleted or lies outside of the series.',
  },
  exceptionBecomesSeries: { number: 99, category: 'USER_INPUT', message: 'An exception must not become a series.' },
  uidTaken: { number: 100, category: 'USER_INPUT', message: 'An appointment with the unique id %1 exists already.' },
  participantNotFound: { number: 103, category: 'USER_INPUT', message: 'The participant %1 was not found.' },
  externalTwice: { number: 106, category: 'USER_INPUT', message: 'The external participant %1 is given twice.' },
  notASeries: { number: 107, category: 'USER_INPUT', message: 'The appointment %1 is no series.' },
  badRecurrenceType: { number: 109, category: 'USER_INPUT', message: 'The recurrence type %1 is unknown.' },
});

/** Errors of appointments under their `CAL` codes. */
export const CalendarErrors = errorCatalog('CAL', {
  valueIgnored: {
    number: 1990,
    category: 'WARNING',
    message: 'Appointment %1: the field %2 was not kept (%3): %4.',
  },
  badTimeZone: { number: 4001, category: 'USER_INPUT', message: 'The time zone %1 is unknown.' },
  badRule: { number: 4002, category: 'USER_INPUT', message: 'The recurrence rule %1 is invalid.' },
  badGeo: { number: 4003, category: 'USER_INPUT', message: 'The position %1 is not on the globe.' },
  badAlarm: { number: 4005, category: 'USER_INPUT', message: 'The alarm is not valid: %1.' },
  badData: { number: 4006, category: 'USER_INPUT', message: 'Invalid data in the field %1: %2.' },
  noReadPermission: { number: 4030, category: 'PERMISSION_DENIED', message: 'No permission to read in folder %1.' },
  noWritePermission: { number: 4031, category: 'PERMISSION_DENIED', message: 'No permission to write in folder %1.' },
  noDeletePermission: { number: 4032, category: 'PERMISSION_DENIED', message: 'No permission to delete in folder %1.' },
  attendeeChange: {
    number: 4033,
    category: 'PERMISSION_DENIED',
    message: 'Participant %2 of appointment %1 must not be changed (%3).',
  },
  badCalendarUser: {
    number: 4034,
    category: 'USER_INPUT',
    message: 'There is no calendar user with the address %1 and the id %2 (%3).',
  },
  changeForbidden: {
    number: 4035,
    category: 'PERMISSION_DENIED',
    message: 'The field %2 of event %1 must not be changed so.',
  },
  notOrganizer: {
    number: 4038,
    category: 'PERMISSION_DENIED',
    message: 'Only the organizer of the appointment may do this.',
  },
  eventNotFound: { number: 4040, category: 'USER_INPUT', message: 'The event %1 was not found.' },
  eventNotInFolder: { number: 4041, category: 'USER_INPUT', message: 'The event %1 is not in folder %2.' },
  occurrenceNotFound: {
    number: 4042,
    category: 'USER_INPUT',
    message: 'The occurrence %2 of event %1 was not found.',
  },
  attendeeNotFound: {
    number: 4043,
    category: 'USER_INPUT',
    message: 'Participant %1 takes no part in appointment %2.',
  },
  accountNotFound: { number: 4044, category: 'USER_INPUT', message: 'There is no calendar account %1.' },
  attachmentNotFound: {
    number: 4047,
    category: 'USER_INPUT',
    message: 'The attachment %1 of the event was not found.',
  },
  revisionNotFound: {
    number: 4048,
    category: 'USER_INPUT',
    message: 'The event %1 with the sequence %2 was not found.',
  },
  unsupportedFolder: { number: 4060, category: 'USER_INPUT', message: 'Folder %1 holds no events.' },
  occurrenceNotInSeries: {
    number: 4061,
    category: 'USER_INPUT',
    message: 'The occurrence %2 is not part of series %1.',
  },
  badSplit: { number: 4063, category: 'USER_INPUT', message: 'Series %1 cannot be split at %2.' },
  uidTaken: { number: 4090, category: 'CONFLICT', message: 'An event with the unique id %1 exists already.' },
  concurrentChange: {
    number: 4120,
    category: 'CONFLICT',
    message: 'The appointment %1 was changed in the meantime (client timestamp %2, actual timestamp %3).',
    display: 'The appointment was changed in the meantime. Load it again and repeat your change.',
  },
  resyncNeeded: {
    number: 4121,
    category: 'CONFLICT',
    message: 'Deletions in folder %1 since %2 are no longer known (the oldest ones kept are of %3).',
    display: 'The calendar was not updated for too long. Load it again as a whole.',
  },
  fieldMissing: { number: 4220, category: 'USER_INPUT', message: 'The field %1 is missing.' },
  endBeforeStart: { number: 4221, category: 'USER_INPUT', message: 'The end is before the start.' },
  privateNotAllowed: {
    number: 4222,
    category: 'USER_INPUT',
    message: 'The classification %1 is not allowed in folder %2.',
  },
  secretWithResources: {
    number: 42210,
    category: 'USER_INPUT',
    message: 'A secret appointment must not book resources.',
  },
  unsupportedRule: { number: 4223, category: 'USER_INPUT', message: 'The recurrence rule %1 is not supported.' },
  seriesMoves: { number: 4224, category: 'USER_INPUT', message: 'Series %1 must not move to another folder.' },
  occurrenceMoves: {
    number: 4225,
    category: 'USER_INPUT',
    message: 'The occurrence %1 must not move to another folder.',
  },
  classifiedMoves: {
    number: 4226,
    category: 'USER_INPUT',
    message: 'A classified appointment must not move to folder %1.',
  },
  classOfException: {
    number: 4227,
    category: 'USER_INPUT',
    message: 'The classification must be equal within a series.',
  },
  mixedTimes: {
    number: 4229,
    category: 'USER_INPUT',
    message: 'The start and the end of entry %1 are not of the same kind: a day and a time.',
  },
  valueTooLong: {
    number: 5070,
    category: 'TRUNCATED',
    message: 'The value of the field %1 is too long (at most %2 characters, is %3).',
  },
  badCharacter: { number: 5071, category: 'USER_INPUT', message: 'The character %1 is not allowed in the field %2.' },
  tooMany: {
    number: 5072,
    category: 'USER_INPUT',
    message: 'More than %1 appointments lie in the range. Choose a shorter one.',
  },
  tooManyAttendees: { number: 5073, category: 'USER_INPUT', message: 'An appointment has at most %1 participants.' },
  tooManyAlarms: { number: 5074, category: 'USER_INPUT', message: 'An event has at most %1 alarms.' },
});

/** Objects of any module (prefix OX). */
export const ObjectErrors = errorCatalog('OX', {
  notFound: { number: 1, category: 'USER_INPUT', message: 'Object %1 was not found in context %2.', http: 404 },
});

/** Import and export (prefix I_E). */
export const ImportExportErrors = errorCatalog('I_E', {
  notExportable: {
    number: 100,
    category: 'PERMISSION_DENIED',
    message: 'Folder %1 cannot be exported as %2.',
  },
  wrongFolder: {
    number: 500,
    category: 'ERROR',
    message: 'The format %1 cannot be imported into folder %2.',
    http: 400,
  },
  hardConflict: { number: 513, category: 'USER_INPUT', message: 'The appointment conflicts with a resource.' },
  notOneFile: { number: 1300, category: 'USER_INPUT', message: 'Exactly one file is needed, got %1.' },
  emptyFile: { number: 1303, category: 'USER_INPUT', message: 'The uploaded file is empty.' },
  notStored: { number: 1308, category: 'ERROR', message: 'The entry could not be stored.' },
  noFile: { number: 1309, category: 'USER_INPUT', message: 'No file was uploaded.' },
  refused: { number: 1310, category: 'USER_INPUT', message: 'The element could not be created: %1.' },
});
