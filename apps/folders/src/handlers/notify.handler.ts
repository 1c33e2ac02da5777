import {
  errorObject,
  FolderErrors,
  folders,
  type CallOf,
  type FolderNotified,
  type Handler,
} from '@groupware/contracts';
import { Caller } from '@groupware/messaging';
import { Handles } from '@groupware/service-kit';
import { parseNotice } from '../domain/folder-input';
import { Owners } from '../owners/owners';
import { isSystemId } from '../domain/system-folders';
import { ShareMails } from '../sharing/share-mails';
import { parseTreeId } from '../tree/folder-tree';

/** `notify`: notifies users and groups of a folder shared with them. */
@Handles(folders.notify)
export class NotifyHandler implements Handler<typeof folders.notify> {
  constructor(
    private readonly caller: Caller,
    private readonly owners: Owners,
    private readonly mails: ShareMails,
  ) {}

  async handle(call: CallOf<typeof folders.notify>): Promise<FolderNotified> {
    parseTreeId(call.query.tree);
    const { id } = call.query;
    const notice = parseNotice(call.body.notification);
    const entities = call.body.entities.map(parseEntityId);
    if (isSystemId(id)) throw FolderErrors.noAdminAccess(id);
    const { contract, key } = this.owners.getOwnerOfFolder(call, id, 'write');
    const unknown = await this.caller.call(contract.notify, {
      ...this.owners.toCallOptions(call),
      query: { id: key, entities, message: notice?.message },
    });
    const { locale } = call.principal;
    const told = entities.filter((entity) => !unknown.includes(entity));
    const failed = await this.mails.inviteGuests(call, key, told, notice ?? {});
    return {
      warnings: [...unknown.map((entity) => FolderErrors.unknownEntity(entity)), ...failed].map((error) =>
        errorObject(error, locale),
      ),
    };
  }
}

function parseEntityId(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw FolderErrors.unknownEntity(text);
  return Number(text);
}
