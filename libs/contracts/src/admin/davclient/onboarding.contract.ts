import { action, allowCallers, defineModule, Field, jsonValue, one, text, value } from '../../kit';
import { OnboardingErrors } from './davclient.errors';

const OWN_DEVICES = allowCallers('settings for devices of the user of the session');

/** Types of data that a profile or link sets up. */
export const ONBOARDING_TYPES = ['caldav', 'carddav', 'dav'] as const;

/** See {@link ONBOARDING_TYPES}. */
export type OnboardingType = (typeof ONBOARDING_TYPES)[number];

/** Type of data to set up. */
export class OnboardingTypeQuery {
  @Field.text({ doc: 'Calendar, address book, or both', values: [...ONBOARDING_TYPES] }) type!: OnboardingType;
}

/** Action to execute, and the device it is for. */
export class OnboardingExecuteQuery {
  @Field.text({ doc: 'Device and scenario, such as apple.iphone/davsync', maxLength: 256 }) id!: string;
  @Field.text({ doc: 'Action, such as download/davprofile', maxLength: 256 }) action_id!: string;
}

/** Something to choose, with its texts. */
export class OnboardingEntry {
  @Field.text({ doc: 'Id' }) id!: string;
  @Field.boolean({ doc: 'May be chosen' }) enabled!: boolean;
  @Field.text({ doc: 'Name', optional: true }) name?: string;
  @Field.text({ doc: 'Description', optional: true }) description?: string;
  @Field.listOf('text', { doc: 'Names of icons, the best first', optional: true }) icon?: string[];
}

/** A kind of device. */
export class OnboardingDevice extends OnboardingEntry {
  @Field.text({ doc: 'Platform' }) platform!: string;
  @Field.listOf('text', { doc: 'Scenarios: device/scenario' }) scenarios!: string[];
}

/** An action by id. */
export class OnboardingAction {
  @Field.text({ doc: 'Id' }) id!: string;
  @Field.text({ doc: 'Value that a form begins with', optional: true }) default?: string;
}

/** Actions for a device and scenario. */
export class OnboardingMatch {
  @Field.text({ doc: 'device/scenario' }) id!: string;
  @Field.boolean({ doc: 'The user has what it needs' }) enabled!: boolean;
  @Field.listOf('text', { doc: 'Capabilities that the user lacks', optional: true }) missing_capabilities?: string[];
  @Field.listOf('text', { doc: 'Ids of actions' }) actions!: string[];
}

/** Everything that can be set up. */
export class OnboardingData {
  @Field.list(() => OnboardingEntry, { doc: 'Platforms' }) platforms!: OnboardingEntry[];
  @Field.list(() => OnboardingDevice, { doc: 'Kinds of devices' }) devices!: OnboardingDevice[];
  @Field.list(() => OnboardingEntry, { doc: 'Scenarios' }) scenarios!: OnboardingEntry[];
  @Field.list(() => OnboardingAction, { doc: 'Actions' }) actions!: OnboardingAction[];
  @Field.list(() => OnboardingMatch, { doc: 'What can be done where' }) matching!: OnboardingMatch[];
}

/** Media type of profiles for Apple's devices. */
export const PROFILE_TYPE = 'application/x-apple-aspen-config';

/** Set-up of the devices of a user. */
export const onboarding = defineModule(
  'onboarding',
  {
    config: action({
      access: OWN_DEVICES,
      auth: 'session',
      http: 'GET',
      doc: 'Devices, scenarios and actions for the user',
      reply: one(OnboardingData),
    }),
    download: action({
      access: OWN_DEVICES,
      auth: 'session',
      edge: true,
      http: 'GET',
      doc: "A configuration profile for Apple's devices; the device asks for the password itself",
      query: OnboardingTypeQuery,
      reply: text(PROFILE_TYPE),
      errors: [OnboardingErrors.notEnabled],
    }),
    execute: action({
      access: OWN_DEVICES,
      auth: 'session',
      edge: true,
      http: 'PUT',
      doc: 'Does something for a device: display answers addresses and login name, link a link with a one-time token that sets the DAV client up, download the profile',
      query: OnboardingExecuteQuery,
      body: jsonValue<unknown>({ required: false }),
      reply: value<unknown>('what the action gives; the bytes of the profile for download'),
      repeatable: true,
      errors: [OnboardingErrors.unknownScenario, OnboardingErrors.unknownAction, OnboardingErrors.notEnabled],
    }),
    link: action({
      access: OWN_DEVICES,
      auth: 'session',
      edge: true,
      http: 'GET',
      doc: 'A link with a one-time token that sets the DAV client up; an older link of the user for this type ends',
      query: OnboardingTypeQuery,
      reply: value<string>('`<scheme>://setup?config=<address>`'),
      errors: [OnboardingErrors.notEnabled],
    }),
  },
  { service: 'admin' },
);
