import { Injectable } from '@nestjs/common';
import { calendarEvents } from '@groupware/contracts';
import { FolderModuleRules, type FolderUser, RANK, type StoredFolder } from '@groupware/folders';
import type { Reader, Transaction } from '@groupware/persistence';
import { Clock } from '@groupware/service-kit';
import { changeOf } from './domain/appointment-change';
import { AppointmentRepository } from './persistence/appointment.repository';

/** Names of the default calendar by language. */
const TITLES: Readonly<Record<string, string>> = { de: 'Kalender', en: 'Calendar' };
const BATCH = 500;

/** What the calendar tells the folder kit about its folders. */
@Injectable()
export class CalendarFolderRules extends FolderModuleRules {
  readonly module = 'calendar';
  readonly events = {
    created: calendarEvents['folder.created'],
    changed: calendarEvents['folder.changed'],
    deleted: calendarEvents['folder.deleted'],
  };

  constructor(
    private readonly appointments: AppointmentRepository,
    private readonly clock: Clock,
  ) {
    super();
  }

  defaultTitle(locale: string): string {
    return TITLES[locale.slice(0, 2).toLowerCase()] ?? TITLES['en']!;
  }

  async holdsUndeletable(db: Reader, folder: StoredFolder, user: FolderUser, rank: number): Promise<boolean> {
    if (rank >= RANK.all) return false;
    const found = await db.rows(
      `select 1 from appointment where context_id = $1 and folder_id = $2 and ($3::int = 0 or created_by <> $4) limit 1`,
      folder.id,
      rank,
      user.userId,
    );
    return found.length > 0;
  }

  async removeObjects(tx: Transaction, folder: StoredFolder): Promise<void> {
    const { stamp } = await this.appointments.nextStamp(tx, this.clock.now(), 0);
    for (;;) {
      const some = await this.appointments.inFolder(tx, folder.id, 0, BATCH);
      if (some.length === 0) return;
      const own = some.filter(({ folderId }) => folderId === folder.id);
      const invited = some.filter(({ folderId }) => folderId !== folder.id);
      await this.appointments.remove(tx, own, stamp);
      if (invited.length > 0) await this.appointments.leaveFolder(tx, invited, folder.id, stamp);
      for (const appointment of own) await tx.publish(calendarEvents['appointment.deleted'], changeOf(appointment));
      for (const appointment of invited) await tx.publish(calendarEvents['appointment.changed'], changeOf(appointment));
    }
  }
}
