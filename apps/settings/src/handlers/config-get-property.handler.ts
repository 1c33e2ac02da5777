import { config, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { ClientProperties } from '../client-properties';

/** `get_property`: a property that clients may see. */
@Handles(config.getProperty)
export class ConfigGetPropertyHandler implements Handler<typeof config.getProperty> {
  constructor(private readonly properties: ClientProperties) {}

  async handle({ principal, query }: CallOf<typeof config.getProperty>) {
    return { name: query.name, value: await this.properties.read(principal, query.name) };
  }
}
