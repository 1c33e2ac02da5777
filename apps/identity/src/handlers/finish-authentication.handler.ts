import { multifactorDevice, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { SecondFactors } from '../multifactor/second-factors';

/** Opens the session when the second factor is right. */
@Handles(multifactorDevice.finishAuthentication)
export class FinishAuthenticationHandler implements Handler<typeof multifactorDevice.finishAuthentication> {
  constructor(private readonly factors: SecondFactors) {}

  async handle({ principal, query, body, edge }: CallOf<typeof multifactorDevice.finishAuthentication>) {
    await this.factors.finishAuthentication(principal, query, body, edge!);
    return { result: 'OK' };
  }
}
