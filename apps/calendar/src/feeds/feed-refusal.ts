import { Injectable } from '@nestjs/common';
import { CalendarErrors, type CatalogueError, findFeedFolder, type UserPrincipal } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { FEED_PROVIDER } from './feed-description';
import { FeedRepository } from './feed.repository';

/** Refuses writes in calendars of other providers. */
@Injectable()
export class FeedRefusal {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly feeds: FeedRepository,
  ) {}

  /** CAL-4228 for each of the folders that is a calendar of another provider. */
  async findRefusals(user: UserPrincipal, folders: readonly string[]): Promise<ReadonlyMap<string, CatalogueError>> {
    const ids = new Map(folders.flatMap((folder) => [[folder, findFeedFolder(folder)] as const]));
    const wanted = [...ids.values()].filter((id) => id !== undefined);
    if (wanted.length === 0) return new Map();
    const feeds = await this.database.read(user, (db) => this.feeds.listByFolders(db, wanted));
    const own = new Map(feeds.filter(({ userId }) => userId === user.userId).map((feed) => [feed.folderId, feed]));
    return new Map(
      [...ids].flatMap(([folder, id]) =>
        id === undefined
          ? []
          : [[folder, CalendarErrors.providerReadOnly(own.get(id)?.provider ?? FEED_PROVIDER)] as const],
      ),
    );
  }

  /** @throws CAL-4228 when a folder is a calendar of another provider */
  async requireOwnCalendars(user: UserPrincipal, ...folders: readonly string[]): Promise<void> {
    for (const refusal of (await this.findRefusals(user, folders)).values()) throw refusal;
  }
}
