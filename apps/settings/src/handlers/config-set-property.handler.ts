import { config, ConfigErrors, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';

/** `set_property`: refused, whether the property exists or not. */
@Handles(config.setProperty)
export class ConfigSetPropertyHandler implements Handler<typeof config.setProperty> {
  handle({ query }: CallOf<typeof config.setProperty>): Promise<never> {
    return Promise.reject(ConfigErrors.readOnly(query.name));
  }
}
