import { login, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { RampUpLoader } from '../authentication/ramp-up';

/** Reads the start data of a client. */
@Handles(login.rampup)
export class RampUpHandler implements Handler<typeof login.rampup> {
  constructor(private readonly rampUp: RampUpLoader) {}

  handle(call: CallOf<typeof login.rampup>) {
    return this.rampUp.loadAll(call, call.query.rampUpFor);
  }
}
