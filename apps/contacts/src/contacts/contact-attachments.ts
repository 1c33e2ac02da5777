import { Injectable } from '@nestjs/common';
import { contactEvents } from '@groupware/contracts';
import { AttachmentCounts, type FilesOfObject } from '@groupware/folders';
import type { Transaction } from '@groupware/persistence';
import { Clock } from '@groupware/service-kit';
import { ContactRepository } from '../persistence/contact.repository';

/** Writes how many files a contact carries. */
@Injectable()
export class ContactAttachments extends AttachmentCounts {
  readonly module = 7;

  constructor(
    private readonly contacts: ContactRepository,
    private readonly clock: Clock,
  ) {
    super();
  }

  async updateCount(tx: Transaction, files: FilesOfObject): Promise<number> {
    const [contact] = await this.contacts.lockByIds(tx, [files.object]);
    if (!contact) return 0;
    const { stamp } = await this.contacts.nextStamp(tx, this.clock.now(), 0);
    const { id, folderId, uid, lastModified } = contact;
    if (!(await this.contacts.updateAttachments(tx, files, stamp))) return lastModified;
    await tx.publish(contactEvents['contact.changed'], { id, folderId, uid, by: files.userId, stamp });
    return stamp;
  }
}
