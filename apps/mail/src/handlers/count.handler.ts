import { mail, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { FolderStates } from '../folders/folder-states';

/** `count`: the number of mails of a folder. */
@Handles(mail.count)
export class CountHandler implements Handler<typeof mail.count> {
  constructor(private readonly states: FolderStates) {}

  async handle(call: CallOf<typeof mail.count>): Promise<number> {
    return (await this.states.getState(call, call.query.folder)).total;
  }
}
