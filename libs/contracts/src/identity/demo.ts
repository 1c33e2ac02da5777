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
