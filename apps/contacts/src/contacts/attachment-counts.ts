import { Injectable } from '@nestjs/common';
import { contactEvents, type AttachedFiles } from '@groupware/contracts';
import type { Transaction } from '@groupware/persistence';
import { Clock } from '@groupware/service-kit';
import { ContactRepository } from '../persistence/contact.repository';

/** Writes how many files a contact carries. */
@Injectable()
export class AttachmentCounts {
  constructor(
    private readonly contacts: ContactRepository,
    private readonly clock: Clock,
  ) {}

  /** Takes over a state unless a newer one is there; false when there is no such contact. */
  async updateCount(tx: Transaction, files: Omit<AttachedFiles, 'module' | 'usedBytes'>): Promise<boolean> {
    const [contact] = await this.contacts.lockByIds(tx, [files.object]);
    if (!contact) return false;
    const { stamp } = await this.contacts.nextStamp(tx, this.clock.now(), 0);
    const { id, folderId, uid } = contact;
    if (await this.contacts.updateAttachments(tx, files, stamp))
      await tx.publish(contactEvents['contact.changed'], { id, folderId, uid, by: files.userId, stamp });
    return true;
  }
}
