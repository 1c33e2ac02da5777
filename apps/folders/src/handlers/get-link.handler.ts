import { reply, shareManagement, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { zoneOf } from '../domain/request-zone';
import { ShareAddresses } from '../sharing/share-addresses';
import { ShareLinks, toLinkStamp } from '../sharing/share-links';

/** `getLink`: finds or creates the link of a folder or document. */
@Handles(shareManagement.getLink)
export class GetLinkHandler implements Handler<typeof shareManagement.getLink> {
  constructor(
    private readonly links: ShareLinks,
    private readonly addresses: ShareAddresses,
  ) {}

  async handle(call: CallOf<typeof shareManagement.getLink>) {
    const zone = zoneOf(call.principal, call.query.timezone);
    const { target, link, isNew } = await this.links.findOrCreateLink(call, call.body);
    const answer = {
      url: this.addresses.createAddress(call.edge!, link.token, target),
      entity: link.id,
      is_new: isNew,
      includeSubfolders: link.includesBelow,
      ...(link.expires === null ? {} : { expiry_date: zone.instantToLocal(link.expires) }),
      ...(link.password === undefined ? {} : { password: link.password }),
      ...(link.meta === null ? {} : { meta: link.meta }),
    };
    return reply(answer, { timestamp: toLinkStamp(target, link) });
  }
}
