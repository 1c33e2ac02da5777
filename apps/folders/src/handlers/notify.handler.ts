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
import { noticeOf } from '../folder-input';
import { Owners } from '../owners';
import { isSystemId } from '../tree/system-folders';
import { treeId } from '../tree/folder-tree';

/** `notify`: tells users and groups about a folder that is shared with them. */
@Handles(folders.notify)
export class NotifyHandler implements Handler<typeof folders.notify> {
  constructor(
    private readonly caller: Caller,
    private readonly owners: Owners,
  ) {}

  async handle(call: CallOf<typeof folders.notify>): Promise<FolderNotified> {
    treeId(call.query.tree);
    const { id } = call.query;
    const notice = noticeOf(call.body.notification);
    const entities = call.body.entities.map(entityOf);
    if (isSystemId(id)) throw FolderErrors.noAdminAccess(id);
    const { contract } = this.owners.ofFolder(call, id, 'write');
    const unknown = await this.caller.call(contract.notify, {
      ...this.owners.outgoing(call),
      query: { id: Number(id), entities, message: notice?.message },
    });
    const { locale } = call.principal;
    return { warnings: unknown.map((entity) => errorObject(FolderErrors.unknownEntity(entity), locale)) };
  }
}

function entityOf(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw FolderErrors.unknownEntity(text);
  return Number(text);
}
