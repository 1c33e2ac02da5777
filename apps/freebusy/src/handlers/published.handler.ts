import { freeBusyRest, FreeBusyRequestErrors, jsonText, reply, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { RequestLimit } from '../request-limit';
import { PublishedTimes } from '../published-times';

/** `/servlet/webdav.freebusy`: published times, for anybody who knows the address. */
@Handles(freeBusyRest.published)
export class PublishedHandler implements Handler<typeof freeBusyRest.published> {
  constructor(
    private readonly published: PublishedTimes,
    private readonly limit: RequestLimit,
  ) {}

  async handle({ query, edge }: CallOf<typeof freeBusyRest.published>) {
    if (!this.published.isOn) throw FreeBusyRequestErrors.notPublished();
    await this.limit.take(edge!.remoteAddress);
    const page = query.contextId > 0 ? await this.published.page(query) : undefined;
    if (page === undefined) throw FreeBusyRequestErrors.notPublished();
    return reply<string>(jsonText(page), { headers: { 'Content-Disposition': 'attachment; filename="freebusy.vfb"' } });
  }
}
