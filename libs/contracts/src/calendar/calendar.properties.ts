import { property } from '../kit';

/** Behaviour of `all` at the edges of the range. */
export const ALL_RANGE = property({
  key: 'com.example.calendar.allRange',
  default: 'contained',
  values: ['contained', 'overlap'],
  scopes: ['user', 'context', 'server'],
  doc: 'What calendar?action=all answers at the edges of the range: contained (appointments that lie in the range) or overlap (all that touch it, as clients of the original product expect). The request parameter range overrides it.',
});

/** Which calendars `all` without a folder covers. */
export const ALL_FOLDERS = property({
  key: 'com.example.calendar.allFolders',
  default: 'visible',
  values: ['visible', 'own'],
  scopes: ['user', 'context', 'server'],
  doc: 'What calendar?action=all without a folder covers: visible (all calendars that the user sees: his own ones, what he is invited to, and what he may read in public and shared ones, unless he unsubscribed from them) or own (only what he takes part in).',
});

/** Whether free/busy tells when users are not available. */
export const AVAILABILITY_IN_FREE_BUSY = property({
  key: 'com.example.calendar.availabilityInFreeBusy',
  default: false,
  scopes: ['context', 'server'],
  doc: 'Whether free/busy shows the time outside of what users set as available as BUSY-UNAVAILABLE. Conflicts are not looked for there.',
});

/** Most rows of one answer. */
export const MAX_RESULTS = property({
  key: 'com.example.calendar.maxEventResults',
  default: 1000,
  min: 1,
  scopes: ['user', 'context', 'server'],
  doc: 'Most appointments and occurrences that one answer of the calendar may hold; more give CAL-5072.',
});

/** Most changes of one answer. */
export const MAX_UPDATES = property({
  key: 'com.example.calendar.maxUpdates',
  default: 50_000,
  min: 1,
  scopes: ['context', 'server'],
  doc: 'Most changes, and most deletions, that one answer of calendar?action=updates may hold; more give CAL-5072.',
});

/** Longest range of `has`. */
export const MAX_DAYS = property({
  key: 'com.example.calendar.maxDays',
  default: 3660,
  min: 1,
  scopes: ['context', 'server'],
  doc: 'Most days that calendar?action=has may be asked for; more give SVL-0010.',
});

/** Most appointments of a context. */
export const MAX_APPOINTMENTS = property({
  key: 'com.example.quota.calendar',
  default: -1,
  min: -1,
  scopes: ['context', 'server'],
  doc: 'Most appointments of a context, exceptions of series included; a new one beyond gives QUOTA-0003, also for a change of or an answer to one occurrence. What is there can be changed, and anything deleted. -1: no limit. Also `items.calendar` of the quota of a context.',
});

/** Most participants of one appointment. */
export const MAX_PARTICIPANTS = property({
  key: 'com.example.calendar.maxAttendeesPerEvent',
  default: 1000,
  min: 1,
  scopes: ['context', 'server'],
  doc: 'Most participants of one appointment, groups resolved; more give CAL-5073.',
});

/** Most conflicts in one answer. */
export const MAX_CONFLICTS = property({
  key: 'com.example.calendar.maxConflicts',
  default: 100,
  min: 1,
  scopes: ['context', 'server'],
  doc: 'Most conflicts named in one answer.',
});

/** Most conflicts of one series. */
export const MAX_CONFLICTS_PER_SERIES = property({
  key: 'com.example.calendar.maxConflictsPerRecurrence',
  default: 5,
  min: 1,
  scopes: ['context', 'server'],
  doc: 'Most occurrences of one series named in an answer with conflicts.',
});

/** Most participants named per conflict. */
export const MAX_PARTICIPANTS_PER_CONFLICT = property({
  key: 'com.example.calendar.maxAttendeesPerConflict',
  default: 5,
  min: 1,
  scopes: ['context', 'server'],
  doc: 'Most participants named in one conflict.',
});

/** First answer of new participants in private calendars. */
export const DEFAULT_STATUS_PRIVATE = property({
  key: 'com.example.calendar.defaultStatusPrivate',
  default: 0,
  min: 0,
  max: 3,
  scopes: ['user', 'context', 'server'],
  doc: 'Answer (0 none, 1 accepted, 2 declined, 3 tentative) that users have at once when somebody invites them from a private calendar.',
});

/** First answer of new participants in public calendars. */
export const DEFAULT_STATUS_PUBLIC = property({
  key: 'com.example.calendar.defaultStatusPublic',
  default: 0,
  min: 0,
  max: 3,
  scopes: ['user', 'context', 'server'],
  doc: 'Answer that users have at once when somebody invites them from a public calendar.',
});

/** Most periods of one question about busy time. */
export const MAX_BUSY_PERIODS = property({
  key: 'com.example.calendar.maxBusyPeriods',
  default: 200_000,
  min: 1,
  scopes: ['server'],
  doc: 'Most times, of all attendees together, that one question about busy time may find; more give CAL-5072.',
});

/** Whether organizers of events may change. */
export const ALLOW_CHANGE_OF_ORGANIZER = property({
  key: 'com.example.calendar.allowChangeOfOrganizer',
  default: false,
  scopes: ['user', 'context', 'server'],
  doc: 'Whether chronos?action=changeOrganizer makes other users the organizers of events that have internal attendees only; otherwise CAL-4035.',
});

/** Whether organizers of events answer for their attendees. */
export const ALLOW_ORGANIZER_ANSWERS = property({
  key: 'com.example.calendar.allowOrganizerPartStatChanges',
  default: false,
  scopes: ['user', 'context', 'server'],
  doc: 'Whether organizers may set the participation status of attendees by chronos?action=update to anything; otherwise to NEEDS-ACTION alone, and all else is CAL-4033.',
});

/** Whether groups are resolved when they are invited. */
export const RESOLVE_GROUPS = property({
  key: 'com.example.calendar.resolveGroupAttendees',
  default: false,
  scopes: ['user', 'context', 'server'],
  doc: 'Whether groups that chronos?action=new and update invite are replaced by their members; otherwise they stay in the list of attendees beside them.',
});

/** Most alarms of one event. */
export const MAX_ALARMS_PER_EVENT = property({
  key: 'com.example.calendar.maxAlarmsPerEvent',
  default: 100,
  min: 0,
  max: 100,
  scopes: ['user', 'context', 'server'],
  doc: 'Most alarms that a user may have in one event of chronos; more give CAL-5074.',
});

/** Whether alarms leave by mail. */
export const ALARM_MAIL_ENABLED = property({
  key: 'com.example.calendar.alarm.mail.enabled',
  default: true,
  scopes: ['user', 'context', 'server'],
  doc: 'Whether users get a mail when the time of an alarm with the action EMAIL has come. Without, the alarm passes.',
});

/** How much earlier alarms leave by mail. */
export const ALARM_MAIL_SHIFT_MS = property({
  key: 'com.example.calendar.alarm.mail.time.shift',
  default: 0,
  min: 0,
  max: 86_400_000,
  scopes: ['server'],
  doc: 'How much earlier than their time alarms leave by mail, ms: mails need time on their way. Counts for alarms that are written from then on.',
});

/** Most alarms that leave by mail. */
export const ALARM_MAIL_LIMIT = property({
  key: 'com.example.calendar.alarm.mail.limit.amount',
  default: -1,
  min: -1,
  scopes: ['user', 'context', 'server'],
  doc: 'Most alarms that a user gets by mail within the timeframe; more of them pass without. -1: no limit.',
});

/** The time in which alarms by mail are counted. */
export const ALARM_MAIL_TIMEFRAME_MS = property({
  key: 'com.example.calendar.alarm.mail.limit.timeframe',
  default: 60_000,
  min: 1_000,
  max: 86_400_000,
  scopes: ['server'],
  doc: 'Time in which the alarms that a user gets by mail are counted, ms.',
});
