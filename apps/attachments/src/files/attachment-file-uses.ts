import { Injectable } from '@nestjs/common';
import { AttachmentErrors } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Logger } from '@groupware/service-kit';
import { FileUses } from '@groupware/stored-files';
import { ExpiredFiles } from '../managed/expired-files';

/** Lifetime of tombstones; clients offline for longer reload everything. */
const TOMBSTONE_LIFE_MS = 90 * 24 * 3_600_000;

/** Attachments keep stored files. */
@Injectable()
export class AttachmentFileUses extends FileUses {
  readonly service = 'attachments';
  readonly table = 'attachment';
  readonly notSaved = AttachmentErrors.notSaved;
  readonly log = Logger.for('attachments');

  constructor(
    private readonly database: ModuleDatabase,
    private readonly managed: ExpiredFiles,
  ) {
    super();
  }

  override async deleteExpired(now: number): Promise<void> {
    const before = now - TOMBSTONE_LIFE_MS;
    await this.database.acrossShards('tombstones of all contexts end by themselves', (db) =>
      db.run('delete from tombstone where deleted < $1', before),
    );
    await this.managed.removeExpired(now);
  }
}
