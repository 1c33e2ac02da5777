import type { Occurrence } from '@groupware/recurrence';
import type { Appointment } from '../domain/appointment';

/** How an event is shown. */
export interface EventView {
  /** The folder in which it is shown. */
  readonly folderId: number;
  /** The user of the calendar, whose alarms and answer are shown. */
  readonly calendarUser: number;
  /** The reader of an event. */
  readonly userId: number;
  /** Others see times only. */
  readonly anonymous?: boolean;
  /** Set when one occurrence of a series is shown. */
  readonly occurrence?: Occurrence;
  /** For exceptions: the clock of the series, in which original starts are told. */
  readonly clock?: Pick<Appointment, 'fullTime' | 'floating' | 'timeZone'>;
  /** For series: original starts of exceptions that the calendar user does not see. */
  readonly hiddenChanges?: readonly number[];
}
