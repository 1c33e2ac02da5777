import { Injectable } from '@nestjs/common';
import type { UserPrincipal } from '@groupware/contracts';
import { coversObject } from '@groupware/folders';
import type { CalendarEvent } from '@groupware/icalendar';
import { ModuleDatabase } from '@groupware/persistence';
import { AppointmentWriter } from '../appointments/appointment-writer';
import { FolderAccess } from '../folders/folder-access';
import { AppointmentRepository } from '../persistence/appointment.repository';
import { type Part, PartRepository } from '../persistence/part.repository';

/**
 * Finds and removes what an earlier import split off a series that a file brings undivided, or divided elsewhere: its
 * occurrences would show twice. What a file brings as a series of its own is one from then on.
 */
@Injectable()
export class SplitLeftovers {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly parts: PartRepository,
    private readonly appointments: AppointmentRepository,
    private readonly access: FolderAccess,
    private readonly writer: AppointmentWriter,
  ) {}

  /** Series split off those that were just stored. */
  async listLeftovers(user: UserPrincipal, folderId: number, stored: readonly CalendarEvent[]): Promise<Part[]> {
    const series = new Set(stored.filter(({ recurrenceId }) => !recurrenceId).map(({ uid }) => uid));
    if (series.size === 0) return [];
    return this.database.read(user, (db) => this.parts.listByFolder(db, folderId, [...series]));
  }

  /** Removes series with their exceptions. @returns ids of those that the user may not delete */
  removeSeries(user: UserPrincipal, folderId: number, ids: readonly number[]): Promise<number[]> {
    return this.database.transact(user, async (tx) => {
      const folder = await this.access.lockFolder(tx, user, folderId);
      const family = await this.appointments.lockWithExceptions(tx, ids);
      const kept = family.filter(
        ({ id, createdBy }) => ids.includes(id) && !coversObject(folder.rights.remove, createdBy === user.userId),
      );
      const keptIds = kept.map(({ id }) => id);
      const removed = family.filter(
        (each) => each.folderId === folderId && !keptIds.includes(each.seriesId ?? each.id),
      );
      if (removed.length > 0) await this.writer.writeChanges(tx, user.userId, { removed });
      return keptIds;
    });
  }
}

/** Series split off by earlier imports that the file does not have. */
export class DuplicateSeries {
  /** Place in the file of the series, by id of what was split off it. */
  readonly indexes = new Map<number, number>();
  private readonly ids = new Map<string, number>();

  /** Items of the file, and what was split off them before. */
  note(items: readonly { readonly event: CalendarEvent; readonly index: number }[], parts: readonly Part[]): void {
    const places = new Map<string, number>();
    for (const { event, index } of items) if (!event.recurrenceId) places.set(event.uid, index);
    for (const { id, uid, whole } of parts) {
      this.ids.set(uid, id);
      this.indexes.set(id, places.get(whole)!);
    }
    for (const uid of places.keys()) {
      const id = this.ids.get(uid);
      if (id !== undefined) this.indexes.delete(id);
    }
  }
}
