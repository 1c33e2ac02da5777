import { Injectable } from '@nestjs/common';
import {
  FileLimitErrors,
  MAX_FILE_RESULTS,
  reply,
  RequestErrors,
  type EdgeRequest,
  type FileOrderQuery,
  type Reply,
  type UserPrincipal,
} from '@groupware/contracts';
import { Directory } from '@groupware/directory';
import { ModuleDatabase, type Reader } from '@groupware/persistence';
import { resolveTimeZone } from '@groupware/recurrence';
import { Clock, Properties } from '@groupware/service-kit';
import { toReadable, type AccessedFolder } from '../folders/folder-access';
import { sortsByName } from '../persistence/document.columns';
import {
  DocumentViewRepository,
  type DocumentFilter,
  type DocumentReader,
} from '../persistence/document-view.repository';
import { ExtendedPermissions } from './extended-permissions';

/** A part of a list. */
export interface RowRange {
  readonly from: number;
  /** Most rows; undefined: to the end. */
  readonly maxRows: number | undefined;
}

/** Source of a list, given the database. */
export type ListSource = (db: Reader) => Promise<{
  /** Folders whose documents the reader may read. */
  readonly folders: readonly AccessedFolder[];
  readonly filter: DocumentFilter;
  readonly viaShared?: boolean;
}>;

/** Lists documents for users. */
@Injectable()
export class DocumentView {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly view: DocumentViewRepository,
    private readonly directory: Directory,
    private readonly properties: Properties,
    private readonly clock: Clock,
    private readonly extended: ExtendedPermissions,
  ) {}

  /** Converts a user to a reader of these folders. @throws SVL-0010 for an unknown zone */
  toReader(user: UserPrincipal, folders: readonly AccessedFolder[], timezone: string | undefined): DocumentReader {
    const zone = resolveTimeZone(timezone || user.timeZone);
    if (!zone && timezone) throw RequestErrors.badParameter('timezone', timezone);
    return { user, readable: toReadable(folders), zone: zone ?? 'UTC', now: this.clock.now() };
  }

  /** Most rows of one answer. */
  getMaxRows({ contextId }: UserPrincipal): Promise<number> {
    return this.properties.get(MAX_FILE_RESULTS, { contextId });
  }

  /** Answers documents. @throws SVL-0010, FILES-0001, and what the source throws */
  async list(
    user: UserPrincipal,
    query: FileOrderQuery,
    range: RowRange,
    source: ListSource,
    edge?: EdgeRequest,
  ): Promise<Reply<unknown[][]>> {
    const most = await this.getMaxRows(user);
    const names = sortsByName(query.sort) ? await this.loadNames(user, query, source) : undefined;
    const found = await this.database.read(user, async (db) => {
      const { folders, filter, viaShared } = await source(db);
      return this.view.listRows(
        db,
        { ...this.toReader(user, folders, query.timezone), ...(names && { names }) },
        {
          columns: query.columns,
          sort: query.sort,
          order: query.order,
          filter,
          ...(viaShared && { viaShared }),
          from: range.from,
          maxRows: Math.min(range.maxRows ?? most + 1, most + 1),
        },
      );
    });
    if (found.count > most) throw FileLimitErrors.tooMany(most);
    const rows = await this.extended.extendRows(user, found.rows, query, edge);
    return reply<unknown[][]>(rows, { timestamp: found.newest });
  }

  /** Display names of those who made what a list answers: lists are sorted by them, not by numbers. */
  private async loadNames(
    user: UserPrincipal,
    query: FileOrderQuery,
    source: ListSource,
  ): Promise<Record<number, string>> {
    const authors = await this.database.read(user, async (db) => {
      const { folders, filter } = await source(db);
      return this.view.listAuthors(db, this.toReader(user, folders, query.timezone), filter);
    });
    const found = await this.directory.getEntities(user, authors);
    return Object.fromEntries(
      [...found.values()].map((entity) => [entity.id, 'displayName' in entity ? String(entity.displayName) : '']),
    );
  }
}
