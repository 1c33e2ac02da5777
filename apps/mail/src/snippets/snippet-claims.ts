import { contextStorage, type UploadedFile, type UserPrincipal } from '@groupware/contracts';
import { storeIdOf } from '@groupware/file-store';
import { Caller } from '@groupware/messaging';
import { ModuleDatabase, type Transaction } from '@groupware/persistence';
import { Clock } from '@groupware/service-kit';
import {
  FileClaims,
  FileUses,
  StoredFileRepository,
  StoredFiles,
  type Content,
  type ContextState,
} from '@groupware/stored-files';
import { Injectable } from '@nestjs/common';

/** Attempts at a write; a concurrent change of the snippet, a release of equal bytes or a move of the context loses one. */
const ATTEMPTS = 4;

/** Stored bytes of a file, unclaimed. */
export type StoredBytes = Pick<UploadedFile, 'reference' | 'sizeBytes'> & { readonly sha256: string };

/** Files of one attempt at a write. */
export interface PreparedFiles {
  readonly files: readonly StoredBytes[];
  /** They came with the request: another process may have got the same call, so the edge alone removes what is not kept. */
  readonly areUploads?: boolean;
}

/** Keeps bytes of snippets for a write. Their number and size are limited, so they need no room of the quota. */
@Injectable()
export class SnippetClaims {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly contents: StoredFileRepository,
    private readonly claims: FileClaims,
    private readonly stored: StoredFiles,
    private readonly caller: Caller,
    private readonly clock: Clock,
    private readonly uses: FileUses,
  ) {}

  /**
   * Writes with the bytes of files, again when it is refused. Bytes that it does not keep are removed, except uploads.
   * @param prepare files of the write, anew for each attempt
   * @param write answers undefined where it has to be done anew
   */
  async writeWithFiles<F extends PreparedFiles, T>(
    user: UserPrincipal,
    prepare: () => Promise<F>,
    write: (
      tx: Transaction,
      prepared: F,
      state: ContextState,
      references: ReadonlyMap<string, string>,
    ) => Promise<T | undefined>,
    ids = 0,
  ): Promise<T> {
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
      const prepared = await prepare();
      const files = prepared.files.map((each) => ({ field: 'file', name: '', contentType: '', ...each }));
      let claimed: readonly Content[] = [];
      try {
        claimed = files.length > 0 ? await this.claimFiles(user, files) : [];
        const written = await this.database.transact(user, async (tx) => {
          const state = await this.contents.advanceCounters(tx, this.clock.now(), ids);
          const references = await this.claims.resolve(tx, files, claimed, state);
          return references && (await write(tx, prepared, state, references));
        });
        if (written !== undefined) return written;
      } finally {
        const references = claimed.map(({ reference }) => reference);
        await this.stored.abandonContents(user, references);
        if (!prepared.areUploads) await this.stored.discardUploads(files);
      }
    }
    throw this.uses.notSaved('the snippet is being changed');
  }

  /** Rows first: bytes that are kept without one would stay for ever, and what has one is found by the sweep. */
  private async claimFiles(user: UserPrincipal, files: readonly UploadedFile[]): Promise<Content[]> {
    const { contextId } = user;
    const byHash = new Map(files.map((each) => [each.sha256!, each]));
    const known = new Set(
      (await this.database.read(user, (db) => this.contents.listKeptByHash(db, [...byHash.keys()]))).map(
        ({ sha256 }) => sha256,
      ),
    );
    const { filestoreId } = await this.caller.call(contextStorage.get, {
      principal: { kind: 'internal', service: this.uses.service, contextId },
      query: undefined,
    });
    const fresh: Content[] = [];
    for (const { reference, sizeBytes, sha256 } of byHash.values()) {
      if (known.has(sha256!)) continue;
      const content = { reference, sizeBytes, sha256: sha256!, sniffed: await this.stored.sniffType(reference) };
      fresh.push(storeIdOf(reference) === filestoreId ? content : await this.stored.copyContent(content, filestoreId));
    }
    const claimed = await this.database.transact(user, async (tx) => {
      if (fresh.length > 0) await this.contents.insertIntents(tx, fresh, this.clock.now());
      return fresh;
    });
    for (const { reference, sha256 } of claimed) if (!known.has(sha256)) await this.stored.keepContent(reference);
    return claimed;
  }
}
