import { DirectoryErrors } from '../../identity/identity.errors';
import { defineModule, Field, restAt, value } from '../../kit';
import { ConfigurationErrors } from './configuration.errors';

const MAX_ID = 2 ** 31 - 1;

/** Place of a property. */
export class ConfigurationPropertyPath {
  @Field.text({ doc: 'Name of the property, taken literally', minLength: 1, maxLength: 256 }) property!: string;
}
/** Places of a property as a user has it. */
export class ConfigurationUserPropertyPath extends ConfigurationPropertyPath {
  @Field.contextId() context!: number;
  @Field.int({ doc: 'User id', min: 1, max: MAX_ID }) user!: number;
}
/** Place of the beginning of names. */
export class ConfigurationPrefixPath {
  @Field.text({ doc: 'Beginning of names', minLength: 1, maxLength: 256 }) prefix!: string;
}
/** Places of the beginning of names as a user has them. */
export class ConfigurationUserPrefixPath extends ConfigurationPrefixPath {
  @Field.contextId() context!: number;
  @Field.int({ doc: 'User id', min: 1, max: MAX_ID }) user!: number;
}

/** Values as texts, unmasked, by name (`ConfigProperties`). */
export type ConfigProperties = Readonly<Record<string, string>>;

const base = '/preliminary/configuration/v1';
const common = { http: 'GET', callers: ['service'], reply: value<ConfigProperties>('{name: value}') } as const;
const owner = [DirectoryErrors.userNotFound];

/** Values of the configuration cascade for cooperating services. Defaults of the code are not reported. */
export const preliminaryConfiguration = defineModule(
  'preliminary-configuration',
  {
    getProperty: restAt(ConfigurationPropertyPath, {
      ...common,
      path: `${base}/property/{property}`,
      doc: "The server's value of a property",
      errors: [ConfigurationErrors.notSet],
    }),
    getPropertyForUser: restAt(ConfigurationUserPropertyPath, {
      ...common,
      path: `${base}/property/{property}/{context}/{user}`,
      doc: 'The value of a property for a user: his own, else that of the context, its reseller, a context set or the server',
      errors: [ConfigurationErrors.notSet, ...owner],
    }),
    listProperties: restAt(ConfigurationPrefixPath, {
      ...common,
      path: `${base}/withPrefix/{prefix}`,
      doc: "The server's values of the properties whose names begin so",
    }),
    listPropertiesForUser: restAt(ConfigurationUserPrefixPath, {
      ...common,
      path: `${base}/withPrefix/{prefix}/{context}/{user}`,
      doc: 'The values for a user of the properties whose names begin so',
      errors: owner,
    }),
  },
  { service: 'admin' },
);
