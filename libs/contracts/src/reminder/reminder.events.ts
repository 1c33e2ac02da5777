import { allEvents, event, eventCatalog, type EventType } from '../kit';

/** An alarm whose time has come. All times are ms UTC. */
export interface DueAlarm {
  /** 1 appointment, 4 task. */
  readonly module: number;
  /** As its owner numbers it. */
  readonly reminderId: number;
  readonly userId: number;
  readonly targetId: number;
  /** Folder in which the user sees the object. */
  readonly folderId: number;
  /** Number of the occurrence, from 1; absent unless a series. */
  readonly position?: number;
  /** When the alarm was due. */
  readonly alarm: number;
  readonly title: string | null;
  readonly start: number;
  readonly end: number;
  /** A whole day, in the zone of the user. */
  readonly fullTime: boolean;
  /** The user had asked to be reminded again. */
  readonly again: boolean;
}

/** An alarm that is due: once for each occurrence and user, and once more for each `remindAgain`. */
export const reminderEvents = eventCatalog(
  'reminder',
  {
    'alarm.due': event<DueAlarm>('The time of an alarm has come: tell the user. Late after an outage, but once'),
  },
  { service: 'calendar' },
);

/** The events of all modules by which alarms fall due: those named `<module>.alarm.due`. */
export const dueAlarmEvents = (): EventType<DueAlarm>[] =>
  allEvents().filter(({ name }) => name.endsWith('.alarm.due')) as EventType<DueAlarm>[];
