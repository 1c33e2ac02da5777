import { multifactorDevice, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { FactorRegistration } from '../multifactor/factor-registration';

/** Registers a device. */
@Handles(multifactorDevice.finishRegistration)
export class FinishRegistrationHandler implements Handler<typeof multifactorDevice.finishRegistration> {
  constructor(private readonly registration: FactorRegistration) {}

  async handle({ principal, query, body, edge }: CallOf<typeof multifactorDevice.finishRegistration>) {
    return this.registration.finishRegistration(principal, query, body, edge!);
  }
}
