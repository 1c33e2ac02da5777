import {
  mailFilter,
  type ForeignMailFilterRule,
  type MailFilterPart,
  type MailFilterRule,
  type UserRequest,
} from '@groupware/contracts';
import { Caller } from '@groupware/messaging';
import { Clock, Logger } from '@groupware/service-kit';
import { Injectable } from '@nestjs/common';
import { toMailFolderId } from '../domain/mail-folder';

/** Most time that the server of rules may take of a renaming, ms. */
const MAX_MS = 5_000;

const log = Logger.for('mail.folders');

/** Rules of the mail filter that move mails into folders: a rule for a folder that is not there stores nothing in it. */
@Injectable()
export class FolderRules {
  constructor(
    private readonly caller: Caller,
    private readonly clock: Clock,
  ) {}

  /**
   * Lets rules follow a folder of the primary mailbox, and those below it, to its new name. Never fails: where the server of rules
   * is away, it stores mails in the inbox, or makes the folder anew.
   */
  async followFolder(request: UserRequest, from: string, to: string, separator: string): Promise<void> {
    const { principal, requestId, signal } = request;
    if (!principal.capabilities.includes('mailfilter')) return;
    const deadline = Math.min(request.deadline, this.clock.now() + MAX_MS);
    const caller = { principal, deadline, requestId, signal };
    const [oldId, newId] = [from, to].map((path) => toMailFolderId({ account: 0, path })) as [string, string];
    try {
      for (const rule of await this.caller.call(mailFilter.list, { ...caller, query: {} })) {
        const actioncmds = replaceTargets(rule, oldId, newId, separator);
        if (actioncmds)
          await this.caller.call(mailFilter.update, { ...caller, query: {}, body: { id: rule.id, actioncmds } });
      }
    } catch (error) {
      log.info({ context: principal.contextId, user: principal.userId, cause: String(error) }, 'rules did not follow');
    }
  }
}

/** Actions of a rule with the new name of the folder; undefined for a rule without the folder. */
function replaceTargets(
  rule: MailFilterRule | ForeignMailFilterRule,
  from: string,
  to: string,
  separator: string,
): readonly MailFilterPart[] | undefined {
  if (!('actioncmds' in rule)) return undefined;
  let isChanged = false;
  const actions = rule.actioncmds.map((action) => {
    const { id, into } = action as MailFilterPart & { readonly into?: unknown };
    if (id !== 'move' || typeof into !== 'string' || !`${into}${separator}`.startsWith(`${from}${separator}`))
      return action;
    isChanged = true;
    return { ...action, into: `${to}${into.slice(from.length)}` };
  });
  return isChanged ? actions : undefined;
}
