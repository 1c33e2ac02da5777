import { ConfigurationErrors, preliminaryConfiguration, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { EffectiveProperties } from '../effective-properties';

type Operation = typeof preliminaryConfiguration.getProperty;

/** Reads the server's value of a property. */
@Handles(preliminaryConfiguration.getProperty)
export class GetPropertyHandler implements Handler<Operation> {
  constructor(private readonly values: EffectiveProperties) {}

  async handle({ principal, query }: CallOf<Operation>) {
    const value = this.values.findServerValue(query.property, { requester: principal.login });
    if (value === undefined) throw ConfigurationErrors.notSet(query.property);
    return { [query.property]: value };
  }
}
