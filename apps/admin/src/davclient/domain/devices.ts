import type { OnboardingType } from '@groupware/contracts';

/** Action for a device. */
export type OnboardingActionId = 'download/davprofile' | 'link/davclient' | 'display/davuser';

/** A kind of device. */
export interface Device {
  readonly id: string;
  readonly platform: string;
  readonly name: string;
  readonly description: string;
  readonly actions: readonly OnboardingActionId[];
}

/** A setup scenario. */
export interface Scenario {
  readonly id: string;
  readonly type: OnboardingType;
  readonly name: string;
  readonly description: string;
  readonly icon: string;
  /** The user needs each of them. */
  readonly capabilities: readonly string[];
}

/** Platforms in the order they are shown. */
export const PLATFORMS = [
  { id: 'apple', name: 'Apple', description: 'iOS and macOS', icon: 'apple' },
  { id: 'android', name: 'Android', description: 'Android', icon: 'android' },
  { id: 'windows', name: 'Windows', description: 'Windows', icon: 'windows' },
] as const;

const APPLE: readonly OnboardingActionId[] = ['download/davprofile', 'display/davuser'];
const CLIENT: readonly OnboardingActionId[] = ['link/davclient', 'display/davuser'];

/** Kinds of devices in the order they are shown. */
export const DEVICES: readonly Device[] = [
  { id: 'apple.iphone', platform: 'apple', name: 'iPhone', description: 'iPhone with iOS', actions: APPLE },
  { id: 'apple.ipad', platform: 'apple', name: 'iPad', description: 'iPad with iPadOS', actions: APPLE },
  { id: 'apple.mac', platform: 'apple', name: 'Mac', description: 'Mac with macOS', actions: APPLE },
  { id: 'android.phone', platform: 'android', name: 'Smartphone', description: 'Android smartphone', actions: CLIENT },
  { id: 'android.tablet', platform: 'android', name: 'Tablet', description: 'Android tablet', actions: CLIENT },
  {
    id: 'windows.desktop',
    platform: 'windows',
    name: 'PC',
    description: 'Computer with Windows',
    actions: ['display/davuser'],
  },
];

/** Scenarios in display order. */
export const SCENARIOS: readonly Scenario[] = [
  {
    id: 'davsync',
    type: 'dav',
    name: 'Calendar and contacts',
    description: 'Synchronise appointments and contacts by CalDAV and CardDAV.',
    icon: 'calendar',
    capabilities: ['caldav', 'carddav'],
  },
  {
    id: 'caldavsync',
    type: 'caldav',
    name: 'Calendar',
    description: 'Synchronise appointments by CalDAV.',
    icon: 'calendar',
    capabilities: ['caldav'],
  },
  {
    id: 'carddavsync',
    type: 'carddav',
    name: 'Contacts',
    description: 'Synchronise contacts by CardDAV.',
    icon: 'users',
    capabilities: ['carddav'],
  },
];

/** The scenario that sets a type up. */
export const findScenario = (type: OnboardingType): Scenario => SCENARIOS.find((scenario) => scenario.type === type)!;
