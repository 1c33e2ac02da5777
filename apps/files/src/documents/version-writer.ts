import { Injectable } from '@nestjs/common';
import { FileStorageErrors, MAX_FILE_VERSIONS, type UserPrincipal } from '@groupware/contracts';
import type { Transaction } from '@groupware/persistence';
import { Properties } from '@groupware/service-kit';
import type { ContextState, ReservedRoom } from '@groupware/stored-files';
import { sumFiles, type Document, type DocumentVersion } from '../domain/document';
import { DocumentRepository } from '../persistence/document.repository';
import { requireMayReadVersion, type AccessedDocument } from './document-locks';
import type { DocumentRequest } from './document-requests';
import { DocumentWriter } from './document-writer';
import { followName, toContent } from './version-content';
import { seenIn, toResult, type Written } from './written-document';

/** Capability of users whose documents keep few versions. */
const AUTODELETE = 'autodelete_file_versions';

/** Writes versions of documents. */
@Injectable()
export class VersionWriter {
  constructor(
    private readonly documents: DocumentRepository,
    private readonly writer: DocumentWriter,
    private readonly properties: Properties,
  ) {}

  /** Changes the current version, or makes another one the current one. */
  async changeVersion(
    tx: Transaction,
    user: UserPrincipal,
    { document, before, access }: AccessedDocument & { readonly before: Document },
    { version, shared, permissions }: DocumentRequest,
    switchTo: number | undefined,
    state: ContextState,
  ): Promise<Written> {
    const isSwitch = switchTo !== undefined && switchTo !== document.current.version;
    requireMayReadVersion(user, { document, access }, switchTo);
    const chosen = isSwitch ? await this.documents.findVersion(tx, document.id, switchTo) : document.current;
    if (!chosen) throw FileStorageErrors.noSuchVersion(document.id, switchTo);
    if (version.filename === null && chosen.reference !== null) throw FileStorageErrors.nameMissing();
    const current = followName(chosen, version);
    const stored = await this.writer.update(
      tx,
      user.userId,
      {
        before: isSwitch ? { ...before, current: chosen } : before,
        after: { ...document, ...shared, current },
        ...(permissions && { permissions }),
      },
      state,
    );
    const saveAction = stored.current.filename === current.filename ? 'none' : 'rename';
    return { result: toResult(stored, seenIn(stored, before, access), saveAction, before.permissions), released: [] };
  }

  /** Gives a document a new version, or the current one another content. */
  async addVersion(
    tx: Transaction,
    user: UserPrincipal,
    { document, before = document, access }: AccessedDocument & { readonly before?: Document },
    { version, shared, permissions, file }: DocumentRequest,
    {
      bytes,
      state,
      room,
      replaces,
      maxVersions,
    }: {
      bytes: string | undefined;
      state: ContextState;
      room: ReservedRoom;
      replaces: boolean;
      maxVersions: number;
    },
  ): Promise<Written> {
    const previous = document.current;
    const isReplaced = replaces && previous.version > 0;
    const isNewVersion = !isReplaced;
    const surplus = isNewVersion ? await this.listSurplus(tx, document, maxVersions) : [];
    const number = isReplaced ? previous.version : document.lastVersion + 1;
    const filename = version.filename ?? previous.filename;
    const current: DocumentVersion = {
      ...followName(previous, { ...version, ...(filename !== null && { filename }) }),
      ...toContent(file!, bytes, filename, version.mimeType),
      comment: version.comment ?? (isReplaced ? previous.comment : null),
      version: number,
      createdBy: user.userId,
      created: state.stamp,
    };
    const stored = await this.writer.update(
      tx,
      user.userId,
      {
        before,
        after: {
          ...document,
          ...shared,
          lastVersion: Math.max(document.lastVersion, number),
          versions: document.versions + (isNewVersion ? 1 : 0) - surplus.length,
          current,
        },
        isNewVersion,
        ...(permissions && { permissions }),
      },
      state,
    );
    if (isNewVersion && previous.version === 0) await this.documents.deleteVersions(tx, document.id, [0]);
    if (surplus.length > 0)
      await this.documents.deleteVersions(
        tx,
        document.id,
        surplus.map(({ version }) => version),
      );
    const gone = isReplaced && previous.reference !== null && previous.reference !== bytes ? [previous.reference] : [];
    const { references, sizeBytes } = sumFiles(surplus);
    const released = await this.writer.release(tx, [...new Set([...gone, ...references])], sizeBytes, state.stamp);
    const added = file!.sizeBytes - (isReplaced ? (previous.sizeBytes ?? 0) : 0);
    await this.writer.useBytes(tx, added, state, room);
    const saveAction = stored.current.filename === current.filename ? 'new_version' : 'rename';
    return { result: toResult(stored, seenIn(stored, before, access), saveAction, before.permissions), released };
  }

  /** The oldest versions, which go when one more comes. */
  private async listSurplus(tx: Transaction, document: Document, maxVersions: number): Promise<DocumentVersion[]> {
    const count = maxVersions > 0 ? document.versions + 1 - maxVersions : 0;
    return count > 0 ? (await this.documents.listVersions(tx, document.id)).slice(0, count) : [];
  }

  /** Most versions that documents keep when a user adds one; 0: all. */
  async getMaxVersions({ contextId, userId, capabilities }: UserPrincipal): Promise<number> {
    if (!capabilities.includes(AUTODELETE)) return 0;
    return this.properties.get(MAX_FILE_VERSIONS, { contextId, userId });
  }
}
