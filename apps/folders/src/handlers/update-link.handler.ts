import { reply, RequestErrors, ShareErrors, shareManagement, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { ShareLinks } from '../sharing/share-links';

/** `updateLink`: pin and end of a link. */
@Handles(shareManagement.updateLink)
export class UpdateLinkHandler implements Handler<typeof shareManagement.updateLink> {
  constructor(private readonly links: ShareLinks) {}

  async handle(call: CallOf<typeof shareManagement.updateLink>) {
    const { password, expiry_date: expires, includeSubfolders } = call.body;
    if (includeSubfolders) throw RequestErrors.badBodyData('includeSubfolders: folders below are shared one by one');
    const found = await this.links.known(call, call.body, call.query.timestamp, ShareErrors.noEditPermission);
    return reply(undefined, { timestamp: await this.links.change(call, found, { password, expires }) });
  }
}
