import { reply, rss, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { NewsFeeds } from '../feeds/news-feeds';

/** `GET rss`: reads news feeds. */
@Handles(rss.read)
export class RssReadHandler implements Handler<typeof rss.read> {
  constructor(private readonly feeds: NewsFeeds) {}

  async handle({ principal, query }: CallOf<typeof rss.read>) {
    const { items, warnings } = await this.feeds.readFeeds(principal, query.feedUrl, query);
    return reply(items, { warnings });
  }
}
