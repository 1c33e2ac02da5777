import { reply, ShareErrors, shareManagement, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { ShareLinks } from '../sharing/share-links';

/** `deleteLink`: removes a link with its guest. */
@Handles(shareManagement.deleteLink)
export class DeleteLinkHandler implements Handler<typeof shareManagement.deleteLink> {
  constructor(private readonly links: ShareLinks) {}

  async handle(call: CallOf<typeof shareManagement.deleteLink>) {
    const found = await this.links.requireCurrentLink(
      call,
      call.body,
      call.query.timestamp,
      ShareErrors.noDeletePermission,
    );
    return reply(undefined, { timestamp: await this.links.removeLink(call, found) });
  }
}
