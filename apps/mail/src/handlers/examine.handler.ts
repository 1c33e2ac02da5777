import { mail, type CallOf, type Handler, type MailFolderState } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { FolderStates } from '../folders/folder-states';

/** `examine`: what tells a client whether a folder changed. */
@Handles(mail.examine)
export class ExamineHandler implements Handler<typeof mail.examine> {
  constructor(private readonly states: FolderStates) {}

  handle(call: CallOf<typeof mail.examine>): Promise<MailFolderState> {
    return this.states.getState(call, call.query.folder);
  }
}
