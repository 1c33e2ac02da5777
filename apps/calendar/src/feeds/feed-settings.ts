import { FeedErrors } from '@groupware/contracts';
import { type DefaultAlarms, parseDefaultAlarms } from '../events/default-alarms';

/** Settings of a calendar of the web as clients send them; absent ones are undefined. */
export interface FeedSettings {
  readonly uri?: string;
  readonly login?: string;
  readonly password?: string;
  /** Minutes; null: as the calendar says. */
  readonly refreshInterval?: number | null;
}

const MAX_LENGTH = { uri: 4_096, login: 255, password: 1_024 } as const;
const MAX_MINUTES = 5_256_000;

/** Parses settings; other fields are ignored. @throws ICAL-PROV-4045 for bad values */
export function parseFeedSettings(config: Readonly<Record<string, unknown>>): FeedSettings {
  return {
    uri: parseText(config, 'uri'),
    login: parseText(config, 'login'),
    password: parseText(config, 'password'),
    refreshInterval: parseMinutes(config['refreshInterval']),
  };
}

/** Parses the alarms of events for which the user sets none; those that are absent stay. @throws CAL-4005, CAL-5074 */
export function parseFeedAlarms(
  { defaultAlarmDate: date, defaultAlarmDateTime: dateTime }: Readonly<Record<string, unknown>>,
  known: DefaultAlarms | null,
): DefaultAlarms {
  return {
    date: date === undefined ? (known?.date ?? []) : parseDefaultAlarms(date),
    dateTime: dateTime === undefined ? (known?.dateTime ?? []) : parseDefaultAlarms(dateTime),
  };
}

function parseText(config: Readonly<Record<string, unknown>>, field: keyof typeof MAX_LENGTH): string | undefined {
  const value = config[field];
  if (value == null) return undefined;
  if (typeof value !== 'string' || value.length > MAX_LENGTH[field]) throw FeedErrors.badField(field);
  return value;
}

function parseMinutes(value: unknown): number | null | undefined {
  if (value == null) return value;
  const minutes = typeof value === 'string' && /^\d{1,7}$/.test(value) ? Number(value) : value;
  if (typeof minutes !== 'number' || !Number.isInteger(minutes) || minutes < 1 || minutes > MAX_MINUTES)
    throw FeedErrors.badField('refreshInterval');
  return minutes;
}
