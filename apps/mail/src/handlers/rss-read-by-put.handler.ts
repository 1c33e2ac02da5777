import { reply, rss, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { NewsFeeds } from '../feeds/news-feeds';

/** `PUT rss`: reads news feeds, also those that the body names. */
@Handles(rss.readByPut)
export class RssReadByPutHandler implements Handler<typeof rss.readByPut> {
  constructor(private readonly feeds: NewsFeeds) {}

  async handle({ principal, query, body }: CallOf<typeof rss.readByPut>) {
    const named = [...(query.feedUrl ?? []), ...(body?.feedUrl ?? [])];
    const { items, warnings } = await this.feeds.readFeeds(principal, named, query);
    return reply(items, { warnings });
  }
}
