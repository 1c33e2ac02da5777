import { contextStorage, type ServicePrincipal, type Tenant, type UploadedFile } from '@groupware/contracts';
import { Caller } from '@groupware/messaging';
import { storeIdOf } from '@groupware/file-store';
import type { Transaction } from '@groupware/persistence';
import { Injectable } from '@nestjs/common';
import { FileUses } from './file-uses';
import { type Content, type ContextState, StoredFileRepository } from './stored-file.repository';
import { StoredFiles } from './stored-files';

/** Attempts at a claim; a concurrent release of the same content or a move loses one. */
const ATTEMPTS = 3;
const MEGABYTE = 1024 * 1024;

/** Space for a write. */
export interface ReservedRoom {
  /** Reserved space in the file store; absent: the store is unlimited. */
  readonly reservation?: string;
  /** Most bytes that the module may use of the context; absent: no limit. */
  readonly quotaBytes?: number;
}

/** The bytes that a context may use; undefined: unlimited. */
export const toQuotaBytes = ({ quotaMb }: { readonly quotaMb: number }): number | undefined =>
  quotaMb < 0 ? undefined : Math.floor(quotaMb * MEGABYTE);

/** Keeps uploaded files for a write of the module, with the space that they need. */
@Injectable()
export class FileClaims {
  constructor(
    private readonly caller: Caller,
    private readonly files: StoredFiles,
    private readonly contents: StoredFileRepository,
    private readonly uses: FileUses,
  ) {}

  /**
   * Runs a write with claimed files. What it does not use afterwards is removed, except uploads that were never claimed: another
   * process may have got the same call, so only who stored them knows when they may go.
   * @param write answers undefined when {@link resolve} did: it runs again with files claimed anew
   * @throws FLS-0011 when the store is full, the error of the module when the files cannot be saved
   */
  async withFiles<T>(
    tenant: Tenant,
    files: readonly UploadedFile[],
    write: (claimed: readonly Content[], room: ReservedRoom) => Promise<T | undefined>,
  ): Promise<T> {
    const held: Content[] = [];
    try {
      for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
        const { storeId, room } = await this.reserve(tenant, files);
        let written: T | undefined;
        try {
          written = await write(await this.files.claimFiles(tenant, files, storeId, held), room);
        } finally {
          if (written === undefined) await this.release(tenant, room);
        }
        if (written !== undefined) return written;
      }
      throw this.uses.notSaved();
    } finally {
      // On success all contents are used and stay; on failure all are removed.
      await this.files.abandonContents(
        tenant,
        held.map(({ reference }) => reference),
      );
    }
  }

  /**
   * References of files by hash, now kept. Needs the lock of {@link StoredFileRepository.advanceCounters}, whose answer is `state`: it
   * excludes concurrent claims and releases. Undefined when a known content was released or the context moved since the claim.
   */
  async resolve(
    tx: Transaction,
    files: readonly UploadedFile[],
    claimed: readonly Content[],
    { stamp, storeId }: Pick<ContextState, 'stamp' | 'storeId'>,
  ): Promise<Map<string, string> | undefined> {
    if (storeId !== null && claimed.some(({ reference }) => storeIdOf(reference) !== storeId)) return undefined;
    const hashes = [...new Set(files.map(({ sha256 }) => sha256!))];
    const references = new Map(
      (await this.contents.listKeptByHash(tx, hashes)).map((each) => [each.sha256, each.reference]),
    );
    // The same content may have been stored concurrently: ours is abandoned then.
    const ours = claimed.filter(({ sha256 }) => !references.has(sha256));
    const kept = await this.contents.markKept(
      tx,
      ours.map(({ reference }) => reference),
      stamp,
    );
    if (kept !== ours.length) return undefined;
    for (const { sha256, reference } of ours) references.set(sha256, reference);
    return hashes.every((hash) => references.has(hash)) ? references : undefined;
  }

  private async reserve(
    tenant: Tenant,
    files: readonly UploadedFile[],
  ): Promise<{ readonly storeId: number; readonly room: ReservedRoom }> {
    const bytes = files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
    const storage = await this.caller.call(contextStorage.reserve, {
      principal: this.toPrincipal(tenant),
      query: { bytes },
    });
    const quota = toQuotaBytes(storage);
    return {
      storeId: storage.filestoreId,
      room: {
        ...(storage.reservation !== undefined && { reservation: storage.reservation }),
        ...(quota !== undefined && { quotaBytes: Math.max(0, quota - storage.usedByOthers) }),
      },
    };
  }

  /** Releases reserved space. Never fails: reservations expire. */
  private async release(tenant: Tenant, { reservation }: ReservedRoom): Promise<void> {
    if (reservation === undefined) return;
    try {
      await this.caller.call(contextStorage.release, {
        principal: this.toPrincipal(tenant),
        query: { reservation },
      });
    } catch (error) {
      this.uses.log.info({ cause: String(error) }, 'room in the file store stays reserved for a while');
    }
  }

  private toPrincipal({ contextId }: Tenant): ServicePrincipal {
    return { kind: 'internal', service: this.uses.service, contextId };
  }
}
