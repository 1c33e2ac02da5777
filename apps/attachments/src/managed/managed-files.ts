import { randomUUID } from 'node:crypto';
import {
  MANAGED_FILE_IDLE_MS,
  MAX_MANAGED_BYTES,
  MAX_MANAGED_FILES,
  UploadErrors,
  type ManagedFileType,
  type UploadedFile,
  type UserPrincipal,
} from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Clock, Properties } from '@groupware/service-kit';
import { StoredFiles } from '@groupware/stored-files';
import { Injectable } from '@nestjs/common';
import { UploadScan } from '../files/upload-scan';
import { ExpiredFiles } from './expired-files';
import { ManagedFileRepository, type ManagedFile } from './managed-file.repository';

const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** Kinds of media types by the names that clients give. */
const KINDS: Readonly<Record<ManagedFileType, RegExp>> = {
  file: /^/,
  text: /^text\//i,
  media: /^(image|audio|video)\//i,
  image: /^image\//i,
  audio: /^audio\//i,
  video: /^video\//i,
  application: /^application\//i,
};

/** Keeps files of users for a while. */
@Injectable()
export class ManagedFiles {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly files: ManagedFileRepository,
    private readonly stored: StoredFiles,
    private readonly scan: UploadScan,
    private readonly expired: ExpiredFiles,
    private readonly properties: Properties,
    private readonly clock: Clock,
  ) {}

  /** Keeps uploads, all or none; answers their ids. @throws UPL-0006 without files, UPL-0011, ANTIVIRUS-0001 to 0003 */
  async keepUploads(user: UserPrincipal, uploads: readonly UploadedFile[], type: ManagedFileType): Promise<string[]> {
    if (uploads.length === 0) throw UploadErrors.missingParameter('file');
    const files: ManagedFile[] = [];
    for (const { reference, name, contentType, sizeBytes } of uploads) {
      const sniffed = await this.stored.sniffType(reference);
      const found = sniffed ?? contentType;
      if (!KINDS[type].test(found)) throw UploadErrors.wrongType(found, type);
      files.push({ id: randomUUID(), reference, name, contentType, sniffed, sizeBytes });
    }
    await this.scan.requireClean(user, uploads);
    const limits = {
      files: await this.getLimit(MAX_MANAGED_FILES, user),
      bytes: await this.getLimit(MAX_MANAGED_BYTES, user),
    };
    const expires = await this.getEnd(user);
    // Rows first: what is kept without one would stay for ever, what has one is found by the sweep.
    const { ids, gone } = await this.database.transact(user, async (tx) => {
      await this.files.lockUser(tx, user.userId);
      await this.files.insert(tx, user.userId, files, this.clock.now(), expires);
      const gone = await this.files.deleteBeyond(tx, user.userId, limits);
      return { ids: files.map(({ id }) => id), gone };
    });
    for (const { reference } of files) await this.stored.keepContent(reference);
    await this.expired.removeBytes(gone);
    return ids;
  }

  /** A file of the user, which is kept for another while. @throws UPL-0010 */
  async getFile(user: UserPrincipal, id: string): Promise<ManagedFile> {
    await this.keepAlive(user, id);
    const found = await this.database.read(user, (db) => this.files.find(db, user.userId, id, this.clock.now()));
    if (!found) throw UploadErrors.notFound(id);
    return found;
  }

  /** Keeps a file of the user for another while. @throws UPL-0010 */
  async keepAlive(user: UserPrincipal, id: string): Promise<void> {
    if (!UUID.test(id)) throw UploadErrors.notFound(id);
    const expires = await this.getEnd(user);
    const known = await this.database.transact(user, (tx) =>
      this.files.use(tx, user.userId, id, this.clock.now(), expires),
    );
    if (known === 0) throw UploadErrors.notFound(id);
  }

  private async getEnd(user: UserPrincipal): Promise<number> {
    return this.clock.now() + (await this.getLimit(MANAGED_FILE_IDLE_MS, user));
  }

  private getLimit(limit: typeof MANAGED_FILE_IDLE_MS, { contextId }: UserPrincipal): Promise<number> {
    return this.properties.get(limit, { contextId });
  }
}
