import { randomUUID } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import {
  CatalogueError,
  isCatalogueError,
  CONTACT_RIGHTS,
  ContactErrors,
  FolderErrors,
  ImportExportErrors,
  MAX_IMPORTED_CONTACTS,
  QuotaErrors,
  reply,
  RequestErrors,
  requireImportFile,
  requireOneFolder,
  VALIDATE_EMAIL,
  waiveCheck,
  type ContactImportQuery,
  type ImportedItem,
  type Reply,
  type UploadedFile,
  type UserPrincipal,
} from '@groupware/contracts';
import { FILES, type FileStore } from '@groupware/file-store';
import { ModuleDatabase } from '@groupware/persistence';
import { Clock, Logger, Properties, storeInBatches, storeWithHalves } from '@groupware/service-kit';
import { ContactsConfig } from '../contacts.config';
import { ContactQuota } from '../contacts/contact-quota';
import type { ContentRules } from '../domain/contact-input';
import { FolderAccess, parseContactFolderId, requireMayCreate } from '../folders/folder-access';
import { ContactCardRepository, type ImportKey } from '../persistence/contact-card.repository';
import { ImportBatch, toRefusedItem, type ImportRun, type StorableEntry } from './import-batch';
import type { ImportEntry } from './import-entry';
import { ImportResults } from './import-results';

/** The parameters of an import. */
export interface ImportRequest {
  readonly query: ContactImportQuery;
  readonly files: readonly UploadedFile[];
  readonly signal: AbortSignal;
  /** CSV, VCARD. */
  readonly format: string;
}

/** Input of the readers of files. */
export interface ImportSource extends ContentRules {
  readonly bytes: () => AsyncIterable<Uint8Array>;
  /** A label that decoders know; undefined: to be found out. */
  readonly charset?: string;
}

const log = Logger.for('contacts.import');

/**
 * Imports files of contacts as they stream in: entries are stored in batches of one transaction each, so memory does not grow with
 * the file. An import that was cut off goes on when the same user sends the same file into the same folder again: what is stored
 * already is found and stays.
 */
@Injectable()
export class ContactImport {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly access: FolderAccess,
    private readonly batches: ImportBatch,
    private readonly cards: ContactCardRepository,
    private readonly quota: ContactQuota,
    private readonly properties: Properties,
    private readonly config: ContactsConfig,
    private readonly clock: Clock,
    @Inject(FILES) private readonly files: FileStore,
  ) {}

  /**
   * A result per entry in the order of the file.
   * @throws I_E-0500, I_E-0800, I_E-1300, I_E-1303, I_E-1309, I_E-1313, I_E-1318, CON-0104, CON-0112, FLD-0008
   */
  async importFile(
    user: UserPrincipal,
    request: ImportRequest,
    read: (source: ImportSource) => AsyncIterable<ImportEntry>,
  ): Promise<Reply<ImportedItem[]>> {
    const file = requireImportFile(request.files);
    const folderId = parseImportFolder(request.query.folder, request.format);
    const charset = parseCharset(request.query.charset);
    const [quota, limit, validateEmail] = await Promise.all([
      this.quota.getLimit(user),
      this.properties.get(MAX_IMPORTED_CONTACTS, user),
      this.properties.get(VALIDATE_EMAIL, user),
    ]);
    const key = { userId: user.userId, folderId, fileHash: file.sha256 ?? file.reference };
    const seed = await this.begin(user, key);
    const run = { folderId, seed, quota };
    const most = limit < 0 ? this.config.importMaxItems : Math.min(limit, this.config.importMaxItems);
    const results = new ImportResults();
    let isLimited = false;
    const source = {
      bytes: () => this.files.read(file.reference),
      validateEmail,
      ...(charset !== undefined && { charset }),
    };
    const storable = async function* (): AsyncGenerator<StorableEntry> {
      for await (const entry of read(source)) {
        isLimited = entry.index >= most;
        if (isLimited) return;
        if (entry.contact) yield entry as StorableEntry;
        else results.set(entry.index, toRefusedItem(entry, entry.error, user));
      }
    };
    await storeInBatches(storable(), this.config.importBatch, async (entries) => {
      if (request.signal.aborted) throw RequestErrors.deadlinePassed('import');
      const items = await this.store(user, run, entries);
      for (const [at, item] of items.entries()) results.set(entries[at]!.index, item);
    });
    await this.database.transact(user, async (tx) => {
      // The right was asked for when the import began, and with each batch.
      waiveCheck(CONTACT_RIGHTS.create, 'the import ends');
      await this.cards.endImport(tx, key);
    });
    return reply<ImportedItem[]>(
      results.toJson(),
      isLimited ? { warnings: [ImportExportErrors.limitReached(most)] } : {},
    );
  }

  private begin(user: UserPrincipal, key: ImportKey): Promise<string> {
    const seed = randomUUID();
    return this.database.transact(user, async (tx) => {
      requireMayCreate((await this.access.lockFolders(tx, user, [key.folderId])).get(key.folderId)!);
      return this.cards.beginImport(tx, key, seed, this.clock.now());
    });
  }

  private store(
    user: UserPrincipal,
    run: ImportRun,
    entries: readonly StorableEntry[],
  ): Promise<readonly ImportedItem[]> {
    return storeWithHalves(
      entries,
      (batch) => this.database.transact(user, (tx) => this.batches.store(tx, user, run, batch)),
      (error, entry) => {
        const isFull = isCatalogueError(error, QuotaErrors.exceeded);
        // The folder is gone or closed, or nothing works: the same for every entry.
        if (error instanceof CatalogueError && !isFull) throw error;
        if (!isFull) log.warn({ index: entry.index, error: String(error) }, 'entries not stored together');
        return toRefusedItem(entry, error, user);
      },
    );
  }
}

/** @throws I_E-1313, I_E-0800, I_E-0500 */
function parseImportFolder(folder: string | undefined, format: string): number {
  if (!folder) throw ImportExportErrors.folderMissing();
  requireOneFolder(folder);
  try {
    return parseContactFolderId(folder);
  } catch (error) {
    const isOther = isCatalogueError(error, ContactErrors.notContacts, FolderErrors.badId);
    throw isOther ? ImportExportErrors.wrongFolder(format, folder) : error;
  }
}

/** The label of a charset; undefined when it is to be found out. @throws I_E-1318 */
function parseCharset(charset: string | undefined): string | undefined {
  if (!charset || charset.toLowerCase() === 'auto') return undefined;
  try {
    return new TextDecoder(charset).encoding;
  } catch {
    throw ImportExportErrors.unknownCharset(charset);
  }
}
