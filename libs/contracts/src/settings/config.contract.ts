import { action, allowCallers, defineModule, Field, jsonValue, PASSWORD_SCOPE, value } from '../kit';
import { ConfigErrors, settingLimits } from './settings.errors';

/** A path in the tree. */
export class ConfigQuery {
  @Field.text({ doc: 'Names from the top, joined by slashes; empty: the whole tree', optional: true, maxLength: 512 })
  path?: string;
}

/** Which property. */
export class ConfigPropertyQuery {
  @Field.text({ doc: 'Name of the property', minLength: 1, maxLength: 256 }) name!: string;
}

/** A property and its value: null where clients may not see it, or nothing has the name. */
export interface ConfigProperty {
  readonly name: string;
  readonly value: string | number | boolean | null;
}

const common = {
  auth: 'session',
  access: allowCallers('reaches the settings of the caller alone'),
} as const;
const WRITERS = ['write_userconfig', PASSWORD_SCOPE] as const;

/** The configuration tree of a user, and single properties (API page "Platform", config). */
export const config = defineModule(
  'config',
  {
    get: action({
      ...common,
      appScopes: 'any',
      guests: true,
      http: 'GET',
      action: null,
      tail: true,
      doc: 'A setting with its type, or an object of those below a node. Settings of modules that the user lacks are absent',
      query: ConfigQuery,
      reply: value<unknown>('value or object'),
      errors: [ConfigErrors.unknownPath],
    }),
    set: action({
      ...common,
      appScopes: WRITERS,
      http: 'PUT',
      action: null,
      tail: true,
      doc: 'Stores a setting: the value itself, or an object with `data`. An object for a node is stored setting by setting, and what fails is told at the end',
      query: ConfigQuery,
      body: jsonValue(),
      reply: value<undefined>('nothing'),
      errors: [
        ConfigErrors.unknownPath,
        ConfigErrors.notALeaf,
        ConfigErrors.readOnly,
        ConfigErrors.invalidValue,
        ...settingLimits,
      ],
    }),
    getProperty: action({
      ...common,
      appScopes: 'any',
      guests: true,
      http: 'GET',
      action: 'get_property',
      doc: 'One property that clients may see',
      query: ConfigPropertyQuery,
      reply: value<ConfigProperty>('{name, value}'),
    }),
    setProperty: action({
      ...common,
      appScopes: WRITERS,
      http: 'PUT',
      action: 'set_property',
      doc: 'Refused: none of the properties that clients may see is for them to change',
      query: ConfigPropertyQuery,
      body: jsonValue(),
      reply: value<ConfigProperty>('{name, value}'),
      errors: [ConfigErrors.readOnly],
    }),
  },
  { service: 'settings' },
);
