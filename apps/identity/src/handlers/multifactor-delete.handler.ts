import { multifactorDevice, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { FactorRegistration } from '../multifactor/factor-registration';

/** Removes a device. */
@Handles(multifactorDevice.delete)
export class MultifactorDeleteHandler implements Handler<typeof multifactorDevice.delete> {
  constructor(private readonly registration: FactorRegistration) {}

  async handle({ principal, query }: CallOf<typeof multifactorDevice.delete>) {
    return this.registration.removeDevice(principal, query);
  }
}
