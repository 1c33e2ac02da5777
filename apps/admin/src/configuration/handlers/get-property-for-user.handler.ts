import { ConfigurationErrors, preliminaryConfiguration, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { EffectiveProperties } from '../effective-properties';

type Operation = typeof preliminaryConfiguration.getPropertyForUser;

/** The value of a property for a user. */
@Handles(preliminaryConfiguration.getPropertyForUser)
export class GetPropertyForUserHandler implements Handler<Operation> {
  constructor(private readonly values: EffectiveProperties) {}

  async handle({ principal, query }: CallOf<Operation>) {
    const { property, context, user } = query;
    const value = await this.values.findUserValue(property, { requester: principal.login, context, user });
    if (value === undefined) throw ConfigurationErrors.notSet(property);
    return { [property]: value };
  }
}
