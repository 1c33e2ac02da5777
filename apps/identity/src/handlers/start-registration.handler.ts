import { multifactorDevice, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { FactorRegistration } from '../multifactor/factor-registration';

/** Starts the registration of a device. */
@Handles(multifactorDevice.startRegistration)
export class StartRegistrationHandler implements Handler<typeof multifactorDevice.startRegistration> {
  constructor(private readonly registration: FactorRegistration) {}

  async handle({ principal, body, edge }: CallOf<typeof multifactorDevice.startRegistration>) {
    return this.registration.startRegistration(principal, body ?? {}, edge!);
  }
}
