import { multifactorDevice, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { SecondFactors } from '../multifactor/second-factors';

/** Starts the authentication by a second factor. */
@Handles(multifactorDevice.startAuthentication)
export class StartAuthenticationHandler implements Handler<typeof multifactorDevice.startAuthentication> {
  constructor(private readonly factors: SecondFactors) {}

  async handle({ principal, query, edge }: CallOf<typeof multifactorDevice.startAuthentication>) {
    return { challenge: await this.factors.startAuthentication(principal, query, edge!) };
  }
}
