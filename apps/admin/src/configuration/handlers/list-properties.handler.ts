import { preliminaryConfiguration, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { EffectiveProperties } from '../effective-properties';

type Operation = typeof preliminaryConfiguration.listProperties;

/** The server's values of properties whose names begin so. */
@Handles(preliminaryConfiguration.listProperties)
export class ListPropertiesHandler implements Handler<Operation> {
  constructor(private readonly values: EffectiveProperties) {}

  async handle({ principal, query }: CallOf<Operation>) {
    return this.values.listServerValues(query.prefix, { requester: principal.login });
  }
}
