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

/** An appointment of the demonstration; days count from the Monday of its week, hours are UTC. */
interface DemoAppointment {
  readonly owner: string;
  readonly title: string;
  readonly day: number;
  readonly hour: number;
  readonly hours: number;
  /** Names of users, groups and resources. */
  readonly users: readonly string[];
  readonly groups: readonly string[];
  readonly resources: readonly string[];
}

const appointment = (
  owner: string,
  title: string,
  [day, hour, hours]: readonly [number, number, number],
  invited: Partial<Pick<DemoAppointment, 'users' | 'groups' | 'resources'>> = {},
): DemoAppointment => ({ owner, title, day, hour, hours, users: [], groups: [], resources: [], ...invited });

/** The context to try things in: what a development start and `svcctl demo` make, tests use and the explorer shows. */
export const DEMO = {
  contextId: 1,
  /** Name of the context, behind the @ of logins. */
  name: 'demo',
  domain: 'demo.example',
  admin: 'admin',
  people: [
    person('anna', 'Anna', 'Berg', 'de_DE', 'Europe/Berlin'),
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
  appointments: [
    appointment('anna', 'Sales meeting', [0, 9, 1], { groups: ['sales'], resources: ['room-blue'] }),
    appointment('anna', 'Lunch', [1, 11, 1], { users: ['ben'] }),
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

/** Midnight UTC of the Monday after a moment, ms. */
export function demoWeek(now: number): number {
  const midnight = Math.floor(now / DAY_MS) * DAY_MS;
  // 1970 began on a Thursday.
  return midnight + (7 - ((midnight / DAY_MS + 3) % 7)) * DAY_MS;
}

/** An appointment as its owner creates it. `ids` has those of people, groups and resources by name. */
export function demoAppointment(
  { title, day, hour, hours, users, groups, resources }: DemoAppointment,
  where: { readonly folder: string; readonly monday: number; readonly ids: ReadonlyMap<string, number> },
): object {
  const start = where.monday + day * DAY_MS + hour * HOUR_MS;
  const invited = (type: number, names: readonly string[]) => names.map((name) => ({ type, id: where.ids.get(name) }));
  return {
    folder_id: where.folder,
    title,
    start_date: start,
    end_date: start + hours * HOUR_MS,
    participants: [...invited(USER, users), ...invited(GROUP, groups), ...invited(RESOURCE, resources)],
  };
}
