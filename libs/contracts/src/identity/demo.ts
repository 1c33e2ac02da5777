import { DEFAULT_MAPPING } from '../login/session.properties';
import type { ContextCreation, ResourceCreation, UserCreation } from './provisioning.models';

/** A person of the demonstration. */
interface DemoPerson {
  readonly name: string;
  readonly givenName: string;
  readonly surname: string;
  readonly locale: string;
  readonly timezone: string;
}

const person = (name: string, givenName: string, surname: string, locale: string, timezone: string): DemoPerson => ({
  name,
  givenName,
  surname,
  locale,
  timezone,
});

/** An appointment of the demonstration; days count from the Monday of the week, hours are UTC. */
interface DemoAppointment {
  readonly owner: string;
  readonly title: string;
  readonly day: number;
  readonly hour: number;
  /** 0: the whole day. */
  readonly hours: number;
  /** Names of users, groups and resources. */
  readonly users: readonly string[];
  readonly groups: readonly string[];
  readonly resources: readonly string[];
  readonly location?: string;
  /** Title of a further calendar of the owner; absent: the default one. */
  readonly calendar?: string;
  /** Every week on these days (1 Sunday, 2 Monday, 4 Tuesday …), from the week before on. */
  readonly weekdays?: number;
  /** Occurrence of a series that is otherwise than the others. */
  readonly exception?: { readonly position: number; readonly title: string; readonly hour: number };
}

type When = readonly [day: number, hour: number, hours: number];
type Details = Partial<Omit<DemoAppointment, 'owner' | 'title' | 'day' | 'hour' | 'hours'>>;

const appointment = (
  owner: string,
  title: string,
  [day, hour, hours]: When,
  details: Details = {},
): DemoAppointment => ({ owner, title, day, hour, hours, users: [], groups: [], resources: [], ...details });

/** A further calendar of a person, shared with a group. */
interface DemoCalendar {
  readonly owner: string;
  readonly title: string;
  readonly group: string;
}

/** Days of the working week. */
const WORKDAYS = 62;
const MONDAY = 2;

/** The context to try things in: what a development start and `svcctl demo` make, tests use and the explorer shows. */
export const DEMO = {
  contextId: 1,
  /** Name of the context, behind the @ of logins. */
  name: 'demo',
  domain: 'demo.example',
  admin: 'admin',
  people: [
    person('anna', 'Anna', 'Berg', 'en_GB', 'Europe/Berlin'),
    person('ben', 'Ben', 'Carter', 'en_US', 'America/New_York'),
    person('chloe', 'Chloé', 'Durand', 'fr_FR', 'Europe/Paris'),
    person('david', 'David', 'Evans', 'en_GB', 'Europe/London'),
    person('elif', 'Elif', 'Fidan', 'tr_TR', 'Europe/Istanbul'),
    person('farid', 'Farid', 'Gill', 'en_IN', 'Asia/Kolkata'),
    person('greta', 'Greta', 'Holm', 'sv_SE', 'Europe/Stockholm'),
    person('hiro', 'Hiro', 'Ito', 'ja_JP', 'Asia/Tokyo'),
    person('ines', 'Inês', 'Jardim', 'pt_PT', 'Europe/Lisbon'),
    person('jan', 'Jan', 'Kowalski', 'pl_PL', 'Europe/Warsaw'),
  ],
  groups: [
    { name: 'sales', displayName: 'Sales', members: ['anna', 'ben', 'chloe', 'david', 'elif'] },
    { name: 'engineering', displayName: 'Engineering', members: ['farid', 'greta', 'hiro', 'ines', 'jan'] },
  ],
  resources: [
    { name: 'room-blue', displayName: 'Blue room', type: 'ROOM', capacity: 8 },
    { name: 'room-green', displayName: 'Green room', type: 'ROOM', capacity: 20 },
    { name: 'projector', displayName: 'Projector', type: 'RESOURCE' },
  ],
  calendars: [{ owner: 'anna', title: 'Trade fairs', group: 'sales' }] as readonly DemoCalendar[],
  appointments: [
    appointment('anna', 'Sales meeting', [0, 9, 1], {
      groups: ['sales'],
      resources: ['room-blue'],
      location: 'Blue room',
      weekdays: MONDAY,
      exception: { position: 2, title: 'Sales meeting with figures', hour: 11 },
    }),
    appointment('anna', 'Focus time', [0, 6, 2], { weekdays: WORKDAYS }),
    appointment('anna', 'Lunch', [1, 11, 1], { users: ['ben'] }),
    appointment('anna', 'Berlin Expo', [2, 0, 0], { calendar: 'Trade fairs', location: 'Berlin' }),
    appointment('anna', 'Booth rota', [2, 7, 1], { calendar: 'Trade fairs' }),
    appointment('ben', 'Quarterly review', [2, 14, 1], { users: ['anna'], location: 'Video call' }),
    appointment('ben', 'Gym', [1, 21, 1], { weekdays: 20 }),
    appointment('farid', 'Design review', [2, 13, 2], {
      groups: ['engineering'],
      resources: ['room-green', 'projector'],
    }),
    appointment('greta', 'Release planning', [3, 8, 1], { users: ['anna', 'hiro'], resources: ['room-blue'] }),
    appointment('jan', 'Dentist', [4, 15, 1]),
  ],
} as const;

/** Creates the context of the demonstration with its administrator. */
export const demoContext = (password: string): ContextCreation => ({
  id: DEMO.contextId,
  name: DEMO.name,
  loginMappings: [DEFAULT_MAPPING.default],
  moduleAccess: { combination: 'premium' },
  admin: {
    name: DEMO.admin,
    password,
    givenName: 'Demo',
    surname: 'Administrator',
    email: `${DEMO.admin}@${DEMO.domain}`,
    timezone: 'Europe/Berlin',
  },
});

/** Creates a person of the demonstration; the password is the caller's matter. */
export const demoPerson = ({ name, ...fields }: DemoPerson): UserCreation => ({
  name,
  ...fields,
  primaryEmail: `${name}@${DEMO.domain}`,
});

/** Creates a resource of the demonstration. */
export const demoResource = (resource: (typeof DEMO.resources)[number]): ResourceCreation => ({
  ...resource,
  email: `${resource.name}@${DEMO.domain}`,
});

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Kinds of participants in the calendar API. */
const USER = 1;
const GROUP = 2;
const RESOURCE = 3;
/** `recurrence_type` of a series by week. */
const WEEKLY = 2;

/** Midnight UTC of the Monday of the week of a moment, ms. */
export function demoWeek(now: number): number {
  const midnight = Math.floor(now / DAY_MS) * DAY_MS;
  // 1970 began on a Thursday.
  return midnight - ((midnight / DAY_MS + 3) % 7) * DAY_MS;
}

/** The place and time of appointments. */
interface DemoPlace {
  readonly folder: string;
  /** Of the week, ms UTC. */
  readonly monday: number;
  /** Ids of people, groups and resources by name. */
  readonly ids: ReadonlyMap<string, number>;
}

/** An appointment as its owner creates it. */
export function demoAppointment(
  { title, day, hour, hours, users, groups, resources, location, weekdays }: DemoAppointment,
  { folder, monday, ids }: DemoPlace,
): object {
  const start = monday + (day - (weekdays ? 7 : 0)) * DAY_MS + hour * HOUR_MS;
  const invited = (type: number, names: readonly string[]) => names.map((name) => ({ type, id: ids.get(name) }));
  return {
    folder_id: folder,
    // A full calendar is part of the picture.
    ignore_conflicts: true,
    title,
    ...(location ? { location } : {}),
    start_date: start,
    end_date: hours === 0 ? start + DAY_MS : start + hours * HOUR_MS,
    full_time: hours === 0,
    ...(weekdays ? { recurrence_type: WEEKLY, interval: 1, days: weekdays } : {}),
    participants: [...invited(USER, users), ...invited(GROUP, groups), ...invited(RESOURCE, resources)],
  };
}

/** The change of the occurrence of a series that is otherwise than the others, if it has one. */
export function demoException(
  { day, hours, exception }: DemoAppointment,
  { folder, monday }: Omit<DemoPlace, 'ids'>,
): object | undefined {
  if (!exception) return undefined;
  const { position, title, hour } = exception;
  const start = monday + (day + 7 * (position - 2)) * DAY_MS + hour * HOUR_MS;
  return {
    folder_id: folder,
    recurrence_position: position,
    ignore_conflicts: true,
    title,
    start_date: start,
    end_date: start + hours * HOUR_MS,
  };
}
