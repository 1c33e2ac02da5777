import { TRASH_RETENTION_DAYS } from '@groupware/contracts';
import { FolderRemoval, TrashRepository } from '@groupware/folders';
import { ModuleDatabase } from '@groupware/persistence';
import { Clock, Logger, Periodic, Properties } from '@groupware/service-kit';
import { StoredFiles } from '@groupware/stored-files';
import { Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { FilesConfig } from '../files.config';
import { DocumentRepository } from '../persistence/document.repository';
import { DocumentWriter } from './document-writer';

const DAY_MS = 86_400_000;
const BATCH = 500;

/** Deletes what has been in trashes for longer than their owners keep it. Several replicas may do so at once. */
@Injectable()
export class TrashCleaner implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly log = Logger.for('files.trash');
  private readonly rounds = new Periodic(
    () => this.deleteExpired(),
    (error) => this.log.error({ error }, 'old documents stay in the trash for now'),
  );

  constructor(
    private readonly database: ModuleDatabase,
    private readonly documents: DocumentRepository,
    private readonly trashes: TrashRepository,
    private readonly removal: FolderRemoval,
    private readonly writer: DocumentWriter,
    private readonly files: StoredFiles,
    private readonly properties: Properties,
    private readonly clock: Clock,
    private readonly config: FilesConfig,
  ) {}

  onApplicationBootstrap(): void {
    if (this.config.trashIntervalMs > 0) this.rounds.start(this.config.trashIntervalMs);
  }

  onApplicationShutdown(): Promise<void> {
    return this.rounds.stop();
  }

  /** Deletes what is too old in the trashes of all users. */
  async deleteExpired(): Promise<void> {
    const owners = await this.database.acrossShards('trashes of all contexts are emptied by themselves', (db) =>
      db.rows('select context_id, created_by from folder where kind = 16'),
    );
    for (const [contextId, userId] of owners.flat() as [number, number][]) {
      if (this.rounds.isStopped) return;
      const days = await this.properties.get(TRASH_RETENTION_DAYS, { contextId, userId });
      if (days >= 0) await this.emptyTrash({ contextId, userId }, this.clock.now() - days * DAY_MS);
    }
  }

  /** Deletes the documents and folders that a user threw away before a time. */
  private async emptyTrash(
    owner: { readonly contextId: number; readonly userId: number },
    before: number,
  ): Promise<void> {
    for (let isDone = false; !isDone;) {
      const released = await this.database.transact(owner, async (tx) => {
        const places = [...(await this.trashes.listTrashes(tx, owner.userId))];
        const folders = await this.trashes.listThrownBefore(tx, places, before);
        const user = { userId: owner.userId, groups: [], capabilities: [], locale: 'en_US' };
        if (folders.length > 0) await this.removal.removeFolders(tx, user, { ids: folders, hardDelete: true });
        const state = await this.writer.lockContext(tx);
        const old = await this.documents.listThrownBefore(tx, places, before, BATCH);
        isDone = old.length < BATCH;
        return this.writer.remove(tx, owner.userId, old, state);
      });
      await this.files.abandonContents(owner, released);
    }
  }
}
