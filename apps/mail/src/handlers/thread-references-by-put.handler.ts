import { mail, type CallOf, type Handler, type MailThread } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { ThreadReferences } from './thread_references.handler';

/** `thread_references` by PUT: the same, for clients that send no body by GET. */
@Handles(mail.threadReferencesByPut)
export class ThreadReferencesByPutHandler implements Handler<typeof mail.threadReferencesByPut> {
  constructor(private readonly threads: ThreadReferences) {}

  handle(call: CallOf<typeof mail.threadReferencesByPut>): Promise<MailThread[]> {
    return this.threads.listThreads(call);
  }
}
