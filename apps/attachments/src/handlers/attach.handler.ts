import {
  attachment,
  AttachmentErrors,
  contextStorage,
  MAX_ATTACHMENTS,
  MAX_ATTACHMENTS_IN_CONTEXT,
  ObjectErrors,
  reply,
  SCAN_UPLOADS,
  VirusErrors,
  CatalogueError,
  type CallOf,
  type Handler,
  type ServicePrincipal,
  type UploadedFile,
  type UserPrincipal,
} from '@groupware/contracts';
import { Caller } from '@groupware/messaging';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles, Logger, Properties } from '@groupware/service-kit';
import { AttachedObjects } from '../attached-objects';
import { type Attached, AttachmentWriter, objectsOf, type WriteLimits } from '../attachment-writer';
import { Detachment } from '../detachment';
import { quotaBytesOf } from '../domain/write-limits';
import { type UploadedPart, uploadedParts } from '../domain/uploaded-parts';
import type { Content } from '../persistence/stored-file.repository';
import { ScanCheck } from '../scan-check';
import { StoredFiles } from '../stored-files';

/** Claims lost to somebody who detached the last file with the same content, or to a move; once more is nearly always enough. */
const ATTEMPTS = 3;

const log = Logger.for('attachments');

/** `attach`: files of one form, all or none. */
@Handles(attachment.attach)
export class AttachHandler implements Handler<typeof attachment.attach> {
  constructor(
    private readonly caller: Caller,
    private readonly objects: AttachedObjects,
    private readonly files: StoredFiles,
    private readonly scans: ScanCheck,
    private readonly writer: AttachmentWriter,
    private readonly properties: Properties,
    private readonly database: ModuleDatabase,
    private readonly detachment: Detachment,
  ) {}

  async handle({ principal, body, files }: CallOf<typeof attachment.attach>) {
    const parts = uploadedParts(body, files);
    for (const part of accessesOf(parts)) await this.objects.require(principal, part, true);
    await this.scan(principal, parts);
    const { ids, stamp, states } = await this.attach(principal, parts);
    for (const state of states)
      if (!(await this.objects.tell(principal, state))) await this.undo(principal, state.module, state.object);
    return reply<number[]>([...ids], { timestamp: stamp });
  }

  private async attach(user: UserPrincipal, parts: readonly UploadedPart[]): Promise<Attached> {
    const files = parts.map(({ file }) => file);
    const held: Content[] = [];
    try {
      for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
        const { storeId, limits } = await this.place(user, files);
        let attached: Attached | undefined;
        try {
          const claimed = await this.files.claim(user, files, storeId, held);
          attached = await this.writer.write(user, parts, claimed, limits);
        } finally {
          if (!attached) await this.release(user, limits);
        }
        if (attached) return attached;
      }
      throw AttachmentErrors.notSaved();
    } finally {
      // Keeps what has attachments now: nothing of a success goes, all of a failure does.
      await this.files.giveUp(
        user,
        held.map(({ reference }) => reference),
      );
      await this.files.discard(files);
    }
  }

  /** Where the files go, and what limits them. @throws FLS-0011 when the store has no room for them */
  private async place(
    user: UserPrincipal,
    files: readonly UploadedFile[],
  ): Promise<{ storeId: number; limits: WriteLimits }> {
    const bytes = files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
    const [storage, maxPerObject, maxInContext] = await Promise.all([
      this.caller.call(contextStorage.reserve, { principal: internal(user), query: { bytes } }),
      this.properties.get(MAX_ATTACHMENTS, { contextId: user.contextId }),
      this.properties.get(MAX_ATTACHMENTS_IN_CONTEXT, { contextId: user.contextId }),
    ]);
    const { filestoreId: storeId, reservation } = storage;
    return { storeId, limits: { maxPerObject, maxInContext, reservation, quotaBytes: quotaBytesOf(storage) } };
  }

  /** Gives back room that was set aside. Never fails: it comes back by itself after a while. */
  private async release(user: UserPrincipal, { reservation }: WriteLimits): Promise<void> {
    if (reservation === undefined) return;
    try {
      await this.caller.call(contextStorage.release, { principal: internal(user), query: { reservation } });
    } catch (error) {
      log.info({ cause: String(error) }, 'room in the file store stays reserved for a while');
    }
  }

  private async scan(user: UserPrincipal, parts: readonly UploadedPart[]): Promise<void> {
    const policy = await this.properties.get(SCAN_UPLOADS, { contextId: user.contextId });
    if (policy === 'off') return;
    for (const { file, fileName } of parts)
      try {
        await this.scans.require(user, { ...file, sha256: file.sha256!, name: fileName });
      } catch (error) {
        const notScanned = error instanceof CatalogueError && !error.is(VirusErrors.found);
        if (policy === 'required' || !notScanned) throw error;
      }
  }

  /** The object went between the question for the rights and the commit: nobody will ask for its files again. */
  private async undo(user: UserPrincipal, module: number, attached: number): Promise<never> {
    const { released } = await this.database.transact(user, (tx) =>
      this.detachment.remove(tx, { module, attached }, user.userId),
    );
    await this.files.giveUp(user, released);
    throw ObjectErrors.notFound(attached, user.contextId);
  }
}

const internal = ({ contextId }: UserPrincipal): ServicePrincipal => ({
  kind: 'internal',
  service: 'attachments',
  contextId,
});

/** What the owners are asked: each object once for each folder it is seen through. */
const accessesOf = (parts: readonly UploadedPart[]): UploadedPart[] =>
  objectsOf(parts).flatMap((object) => [
    ...new Map(
      parts
        .filter(({ module, attached }) => module === object.module && attached === object.attached)
        .map((part) => [part.folder, part]),
    ).values(),
  ]);
