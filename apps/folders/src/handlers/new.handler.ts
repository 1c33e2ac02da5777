import { FolderErrors, folders, reply, type CallOf, type Handler } from '@groupware/contracts';
import { Caller } from '@groupware/messaging';
import { Handles } from '@groupware/service-kit';
import { IdForm, toWrittenId } from '../domain/content-types';
import { parseAccount, parseAttributes, parseNotice, parsePermissions, toFolderInput } from '../domain/folder-input';
import { Owners } from '../owners/owners';
import { ParentCheck } from '../owners/parent-check';
import { zoneOf } from '../domain/request-zone';
import { GuestEntries } from '../sharing/guest-entries';
import { ShareMails } from '../sharing/share-mails';
import { parseTreeId } from '../tree/folder-tree';

/** `new`: creates a folder in the module that owns it. */
@Handles(folders.new)
export class NewHandler implements Handler<typeof folders.new> {
  constructor(
    private readonly caller: Caller,
    private readonly owners: Owners,
    private readonly parents: ParentCheck,
    private readonly guests: GuestEntries,
    private readonly mails: ShareMails,
  ) {}

  async handle(call: CallOf<typeof folders.new>) {
    parseTreeId(call.query.tree);
    const folder = toFolderInput(call.body);
    const { module, parent, foreignParent } = await this.parents.resolvePlace(
      call,
      call.query.folder_id,
      folder.module ?? undefined,
    );
    const { contract } = this.owners.getOwnerOfModule(call, module);
    // Guests share nothing, and tell of nothing.
    const isGuest = call.principal.guest === true;
    if (isGuest && folder.permissions != null) throw FolderErrors.mayNotShare(call.query.folder_id);
    const notice = isGuest ? undefined : parseNotice(call.body.notification);
    const { written, invited, linkStamp } = await this.guests.withGuests(
      call,
      parsePermissions(folder, zoneOf(call.principal)),
      { module },
      (permissions, id) =>
        this.caller.call(contract.create, {
          ...this.owners.toCallOptions(call),
          query: {
            id,
            parent,
            foreignParent,
            title: folder.title ?? '',
            permissions,
            subscribed: folder.subscribed ?? undefined,
            ...parseAttributes(folder),
            autorename: call.query.autorename,
            notice,
            account: module === 'calendar' ? parseAccount(folder) : undefined,
          },
        }),
    );
    const warnings = await this.mails.inviteGuests(call, written.id, invited, notice);
    const form = IdForm.fromParameters({ content_type: folder.module ?? undefined, parent: call.query.folder_id });
    return reply(toWrittenId(written, form), {
      timestamp: Math.max(written.lastModified, linkStamp ?? 0),
      warnings,
    });
  }
}
