import { randomUUID } from 'node:crypto';
import { attachedFiles, type LocatedObjectFile, type Tenant } from '@groupware/contracts';
import { FILES, type FileStore } from '@groupware/file-store';
import { Caller } from '@groupware/messaging';
import { Logger } from '@groupware/service-kit';
import { Inject, Injectable } from '@nestjs/common';
import { OutgoingMailConfig } from '../outgoing-mail.config';

/** Reference to a file of an event that a mail carries. */
export interface MailFile {
  /** Attachment. */
  readonly id: number;
  /** Event. */
  readonly object: number;
  readonly name: string;
  readonly contentType: string;
  readonly sizeBytes: number;
  /** Content-ID of its part, without brackets; files of equal content share one part. */
  readonly contentId: string;
}

/** A file whose bytes are still there. */
export interface OpenFile extends MailFile {
  /** Reads the bytes. */
  readonly read: () => AsyncIterable<Uint8Array>;
}

/** Module id of events for attachments. */
const EVENTS = 1;
const log = Logger.for('outgoing-mail');

/** Files of events for mails: chosen when a mail is stored, and found again when it leaves. */
@Injectable()
export class MailFiles {
  constructor(
    private readonly caller: Caller,
    private readonly config: OutgoingMailConfig,
    @Inject(FILES) private readonly store: FileStore,
  ) {}

  /**
   * The files of events that a mail carries, in the order in which they were attached, as long as they fit in all; those of equal
   * content count once.
   */
  async choose(tenant: Tenant, events: readonly number[]): Promise<MailFile[]> {
    const parts = new Map<string, string>();
    const chosen: MailFile[] = [];
    let room = this.config.maxFilesBytes;
    let omitted = 0;
    for (const { id, object, name, contentType, sizeBytes, reference } of await this.locate(tenant, events)) {
      let contentId = parts.get(reference);
      if (contentId === undefined && sizeBytes > room) {
        omitted += 1;
        continue;
      }
      if (contentId === undefined) {
        contentId = `${randomUUID()}@${this.config.domain}`;
        parts.set(reference, contentId);
        room -= sizeBytes;
      }
      chosen.push({ id, object, name, contentType, sizeBytes, contentId });
    }
    if (omitted > 0) log.info({ context: tenant.contextId, files: omitted }, 'files are too large for a mail');
    return chosen;
  }

  /** Those of the files that are still attached. */
  async open(tenant: Tenant, files: readonly MailFile[]): Promise<OpenFile[]> {
    const located = await this.locate(tenant, [...new Set(files.map(({ object }) => object))]);
    const references = new Map(located.map(({ id, reference }) => [id, reference]));
    return files.flatMap((file) => {
      const reference = references.get(file.id);
      return reference === undefined ? [] : [{ ...file, read: () => this.store.read(reference) }];
    });
  }

  private async locate({ contextId }: Tenant, objects: readonly number[]): Promise<LocatedObjectFile[]> {
    if (objects.length === 0) return [];
    return this.caller.call(attachedFiles.locateAll, {
      principal: { kind: 'internal', service: 'outgoing-mail', contextId },
      query: { module: EVENTS, objects: [...objects] },
    });
  }
}
