import { infostore, type EdgeRequest, type UserRequest } from '@groupware/contracts';
import { FILES, type FileStore } from '@groupware/file-store';
import { Caller } from '@groupware/messaging';
import { Inject, Injectable } from '@nestjs/common';

/** A file that becomes a document. */
export interface NewDocument {
  readonly folder: string | undefined;
  readonly name: string;
  readonly type: string;
  readonly title?: string | null | undefined;
  readonly description?: string | null | undefined;
  readonly maxBytes: number;
  readonly bytes: AsyncIterable<Uint8Array>;
}

/** A document as the files service made it; its name may differ from the one asked for. */
export interface StoredDocument {
  readonly id: string;
  readonly folder_id: string;
  readonly filename: string;
}

/** Stores files of mails as documents of the user, who has all rights of one that uploads them. */
@Injectable()
export class StoredDocuments {
  constructor(
    private readonly caller: Caller,
    @Inject(FILES) private readonly store: FileStore,
  ) {}

  /** Stores one. @throws what the store and the files service throw */
  async storeDocument(
    { principal, deadline, requestId, signal, edge }: UserRequest & { readonly edge?: EdgeRequest | undefined },
    { folder, name, type, title, description, maxBytes, bytes }: NewDocument,
  ): Promise<StoredDocument> {
    const { contextId } = principal;
    const stored = await this.store.write(bytes, { maxBytes, contextId });
    try {
      return (await this.caller.call(infostore.newFile, {
        ...{ principal, deadline, requestId, signal },
        ...(edge ? { edge } : {}),
        query: { extendedResponse: true },
        body: { json: JSON.stringify({ folder_id: folder, filename: name, title, description }) },
        files: [{ field: 'file', name, contentType: type, ...stored }],
      })) as StoredDocument;
    } finally {
      // A file that became a document is claimed, and stays.
      await this.store.discard(stored.reference).catch(() => undefined);
    }
  }
}
