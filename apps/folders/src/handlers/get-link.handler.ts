import { reply, shareManagement, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { ShareAddresses } from '../sharing/share-addresses';
import { ShareLinks, stampOf } from '../sharing/share-links';

/** `getLink`: the link of a folder, made when there is none. */
@Handles(shareManagement.getLink)
export class GetLinkHandler implements Handler<typeof shareManagement.getLink> {
  constructor(
    private readonly links: ShareLinks,
    private readonly addresses: ShareAddresses,
  ) {}

  async handle(call: CallOf<typeof shareManagement.getLink>) {
    const { folder, link, isNew } = await this.links.findOrMake(call, call.body);
    const answer = {
      url: this.addresses.of(call.edge!, link.token, folder.id),
      entity: link.id,
      is_new: isNew,
      includeSubfolders: false,
      ...(link.expires === null ? {} : { expiry_date: link.expires }),
      ...(link.meta === null ? {} : { meta: link.meta }),
    };
    return reply(answer, { timestamp: stampOf(folder, link) });
  }
}
