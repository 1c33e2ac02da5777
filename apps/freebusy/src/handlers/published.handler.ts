import { freeBusyRest, FreeBusyRequestErrors, jsonText, reply, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { RequestLimit } from '../published/request-limit';
import { PublishedTimes } from '../published/published-times';

/** `/servlet/webdav.freebusy`: published busy times, for all who know the URL. */
@Handles(freeBusyRest.published)
export class PublishedHandler implements Handler<typeof freeBusyRest.published> {
  constructor(
    private readonly published: PublishedTimes,
    private readonly limit: RequestLimit,
  ) {}

  async handle({ query, edge }: CallOf<typeof freeBusyRest.published>) {
    if (!this.published.isEnabled) throw FreeBusyRequestErrors.notPublished();
    await this.limit.consumeRequest(edge!.remoteAddress);
    const page = query.contextId > 0 ? await this.published.findPage(query) : undefined;
    if (page === undefined) throw FreeBusyRequestErrors.notPublished();
    return reply<string>(jsonText(page), { headers: { 'Content-Disposition': 'attachment; filename="freebusy.vfb"' } });
  }
}
