import { preliminaryConfiguration, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { EffectiveProperties } from '../effective-properties';

type Operation = typeof preliminaryConfiguration.listPropertiesForUser;

/** Lists a user's effective values of the properties with a name prefix. */
@Handles(preliminaryConfiguration.listPropertiesForUser)
export class ListPropertiesForUserHandler implements Handler<Operation> {
  constructor(private readonly values: EffectiveProperties) {}

  async handle({ principal, query }: CallOf<Operation>) {
    const { prefix, context, user } = query;
    return await this.values.listUserValues(prefix, { requester: principal.login, context, user });
  }
}
