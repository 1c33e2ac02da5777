import { login, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { RampUp } from '../login/ramp-up';

/** Data that a client loads first. */
@Handles(login.rampup)
export class RampUpHandler implements Handler<typeof login.rampup> {
  constructor(private readonly rampUp: RampUp) {}

  async handle({ principal }: CallOf<typeof login.rampup>) {
    return this.rampUp.of(principal);
  }
}
