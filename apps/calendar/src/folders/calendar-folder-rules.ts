import { Injectable } from '@nestjs/common';
import {
  calendarEvents,
  localText,
  type FolderAccount,
  type FolderCounts,
  type OwnedFolderCreation,
  type UserPrincipal,
} from '@groupware/contracts';
import {
  FolderModuleRules,
  type CountedFolder,
  type FolderUser,
  type Handover,
  type ObjectRemoval,
  type PreparedAccount,
  type RankedFolder,
  type StoredFolder,
} from '@groupware/folders';
import type { Reader, Transaction } from '@groupware/persistence';
import { Clock } from '@groupware/service-kit';
import { AppointmentHandover } from '../appointments/appointment-handover';
import { toAppointmentChange } from '../domain/appointment-change';
import { AppointmentRepository } from '../persistence/appointment.repository';
import { BirthdayCalendars } from '../feeds/birthday-calendars';
import { FeedAccounts } from '../feeds/feed-accounts';
import { FolderContentRepository } from '../persistence/folder-content.repository';

const BATCH = 500;

/** Rules of calendar folders for the folder kit. */
@Injectable()
export class CalendarFolderRules extends FolderModuleRules {
  readonly module = 'calendar';
  readonly events = calendarEvents;

  constructor(
    private readonly content: FolderContentRepository,
    private readonly appointments: AppointmentRepository,
    private readonly handover: AppointmentHandover,
    private readonly clock: Clock,
    private readonly feeds: FeedAccounts,
    private readonly birthdays: BirthdayCalendars,
  ) {
    super();
  }

  defaultTitle(locale: string): string {
    return localText('folder.calendar', locale);
  }

  override countObjects(
    db: Reader,
    folders: readonly CountedFolder[],
    user: FolderUser,
  ): Promise<ReadonlyMap<number, FolderCounts>> {
    return this.content.countReadable(db, folders, user.userId);
  }

  override prepareAccount(user: UserPrincipal, wanted: OwnedFolderCreation): Promise<PreparedAccount | undefined> {
    return this.feeds.prepareAccount(user, wanted);
  }

  override ensureAccounts(user: UserPrincipal): Promise<boolean> {
    return this.birthdays.ensureCalendar(user);
  }

  override updateAccount(
    tx: Transaction,
    folder: StoredFolder,
    config: Readonly<Record<string, unknown>>,
  ): Promise<void> {
    return this.feeds.updateAccount(tx, folder.id, config);
  }

  override listAccounts(
    db: Reader,
    folders: readonly number[],
    user: UserPrincipal,
  ): Promise<ReadonlyMap<number, FolderAccount>> {
    return this.feeds.listAccounts(db, folders, user);
  }

  undeletable(db: Reader, folders: readonly RankedFolder[], user: FolderUser): Promise<ReadonlySet<number>> {
    return this.content.listUndeletable(db, folders, user.userId);
  }

  override listProtected(db: Reader, folders: readonly RankedFolder[], user: FolderUser): Promise<ReadonlySet<number>> {
    return this.content.listProtected(db, folders, user.userId);
  }

  override removeContext(tx: Transaction): Promise<void> {
    return this.appointments.removeContext(tx);
  }

  async removeObjects(tx: Transaction, folders: readonly RankedFolder[], { userId }: ObjectRemoval): Promise<void> {
    const { stamp } = await this.appointments.nextStamp(tx, this.clock.now(), 0);
    const origin = { by: userId, stamp };
    for (;;) {
      const some = await this.content.listDeletable(tx, folders, userId, BATCH);
      if (some.length === 0) return;
      const own = some.filter(({ folderId, deletableFrom }) => deletableFrom.includes(folderId));
      const invited = some.filter(({ folderId, deletableFrom }) => !deletableFrom.includes(folderId));
      if (own.length > 0) this.appointments.remove(tx, own, stamp);
      if (invited.length > 0) await this.content.removeFromFolders(tx, invited, stamp);
      for (const appointment of own)
        await tx.publish(calendarEvents['appointment.deleted'], toAppointmentChange(appointment, undefined, origin));
      for (const appointment of invited)
        await tx.publish(calendarEvents['appointment.changed'], toAppointmentChange(appointment, undefined, origin));
    }
  }

  override async permissionsChanged(tx: Transaction, folderIds: readonly number[]): Promise<void> {
    const { stamp } = await this.appointments.nextStamp(tx, this.clock.now(), 0);
    await this.appointments.recordAccessChange(tx, folderIds, stamp);
  }

  override async keepShared(
    tx: Transaction,
    folders: readonly StoredFolder[],
    handover: Handover,
  ): Promise<ReadonlySet<number>> {
    await this.handover.keepMeetings(tx, folders, handover);
    return new Set();
  }

  handOver(tx: Transaction, folders: readonly StoredFolder[], handover: Handover): Promise<void> {
    return this.handover.handOver(tx, folders, handover);
  }
}
