import { mailSending, RequestErrors, type CallOf, type Handler, type MailData } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { requirePlace } from '../domain/mail-path';
import { ForwardPreparation } from './forward.handler';

/** `forward` with a list: a mail that passes others on, prepared. */
@Handles(mailSending.forwardSeveral)
export class ForwardSeveralHandler implements Handler<typeof mailSending.forwardSeveral> {
  constructor(private readonly forwards: ForwardPreparation) {}

  handle(call: CallOf<typeof mailSending.forwardSeveral>): Promise<MailData> {
    const places = call.body.map(({ folder, folder_id, id }) => requirePlace(folder ?? folder_id ?? '', id));
    if (places.length === 0) throw RequestErrors.badBodyData('no mails');
    return this.forwards.prepareForward(call, places);
  }
}
