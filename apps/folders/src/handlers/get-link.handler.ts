import { reply, sharePath, shareManagement, type CallOf, type Handler } from '@groupware/contracts';
import { BasePathSettings, Handles } from '@groupware/service-kit';
import { ShareLinks, stampOf } from '../sharing/share-links';

/** `getLink`: the link of a folder, made when there is none. */
@Handles(shareManagement.getLink)
export class GetLinkHandler implements Handler<typeof shareManagement.getLink> {
  constructor(
    private readonly links: ShareLinks,
    private readonly base: BasePathSettings,
  ) {}

  async handle(call: CallOf<typeof shareManagement.getLink>) {
    const { folder, link, isNew } = await this.links.findOrMake(call, call.body);
    const { secure, host } = call.edge!;
    const origin = `${secure ? 'https' : 'http'}://${host}${this.base.basePaths()[0] ?? ''}`;
    const answer = {
      url: `${origin}/share/${link.token}/${sharePath(folder.id)}`,
      entity: link.id,
      is_new: isNew,
      includeSubfolders: false,
      ...(link.expires === null ? {} : { expiry_date: link.expires }),
    };
    return reply(answer, { timestamp: stampOf(folder, link) });
  }
}
