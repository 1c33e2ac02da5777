import { mailEvents, TOPICS, type NewMail } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Clock } from '@groupware/service-kit';
import { Injectable } from '@nestjs/common';
import { Outlet } from './outlet';
import { NoticeRepository } from './persistence/notice.repository';
import { PushConfig } from './push.config';

/** New mails of users, each told once, however many services saw it arrive. */
@Injectable()
export class NewMails {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly notices: NoticeRepository,
    private readonly outlet: Outlet,
    private readonly clock: Clock,
    private readonly config: PushConfig,
  ) {}

  /** Tells a user of mails in their order; answers how many were not told before. */
  tell({ contextId, userId }: { contextId: number; userId: number }, mails: readonly NewMail[]): Promise<number> {
    const now = this.clock.now();
    return this.database.transact({ contextId }, async (tx) => {
      const fresh: NewMail[] = [];
      for (const mail of mails) {
        const name = `${mail.folder} ${mail.id}`;
        if (await this.notices.noteMail(tx, userId, name, now, now - this.config.dedupeMs)) fresh.push(mail);
      }
      for (const mail of fresh) await tx.publish(mailEvents.new, { userId, ...mail });
      await this.outlet.tell(
        tx,
        fresh.map((data) => ({ users: [userId], topic: TOPICS.newMail, data })),
      );
      return fresh.length;
    });
  }
}
