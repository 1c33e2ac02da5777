import { Inject } from '@nestjs/common';
import {
  APPOINTMENT_RIGHTS,
  AppointmentErrors,
  calendarExport,
  FileReply,
  FOLDER_RIGHTS,
  FolderErrors,
  ImportExportErrors,
  ObjectErrors,
  parseFolderAddress,
  requirePermission,
  taskExport,
  taskFiles,
  waiveCheck,
  type CallOf,
  type ExportReference,
  type Handler,
  type UserPrincipal,
} from '@groupware/contracts';
import { decodeUtf8, FILES, type FileStore } from '@groupware/file-store';
import type { CalendarEvent } from '@groupware/icalendar';
import { Caller } from '@groupware/messaging';
import { ModuleDatabase, type Reader } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { parseAppointmentId } from '../domain/appointment-id';
import { isSeries } from '../domain/appointment';
import { toServicePrincipal } from '../domain/service-principal';
import { parseExportedFolderId, FolderAccess, isSeenIn } from '../folders/folder-access';
import { CalendarExport } from '../icalendar/calendar-export';
import { AppointmentRepository } from '../persistence/appointment.repository';

const CHUNK = 500;

/** `export?action=ICAL` with a body: some appointments, series with their exceptions, and some tasks as a file. */
@Handles(calendarExport.ICALObjects)
export class ExportIcalObjectsHandler implements Handler<typeof calendarExport.ICALObjects> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly access: FolderAccess,
    private readonly exporter: CalendarExport,
    private readonly appointments: AppointmentRepository,
    private readonly caller: Caller,
    @Inject(FILES) private readonly files: FileStore,
  ) {}

  async handle({ principal, body }: CallOf<typeof calendarExport.ICALObjects>): Promise<FileReply> {
    const isTask = ({ folder_id }: ExportReference) => parseFolderAddress(folder_id)?.module === 'tasks';
    const tasks = body.filter(isTask);
    const appointments = body.filter((reference) => !isTask(reference));
    if (tasks.length === 0) return this.writeAppointments(principal, appointments);
    requirePermission(taskExport.ICALTasks, principal);
    const file = await this.caller.call(taskFiles.writeTasks, {
      principal: toServicePrincipal(principal),
      query: { tasks },
    });
    if (appointments.length > 0)
      try {
        return await this.writeAppointments(principal, appointments, decodeUtf8(this.files.read(file.reference)));
      } finally {
        await this.files.discard(file.reference);
      }
    for (const right of [FOLDER_RIGHTS.see, APPOINTMENT_RIGHTS.read]) waiveCheck(right, 'tasks alone');
    return new FileReply({ ...file, temporary: true });
  }

  /** @param after text that follows in the same file */
  private async writeAppointments(
    user: UserPrincipal,
    references: readonly ExportReference[],
    after?: AsyncIterable<string>,
  ): Promise<FileReply> {
    requirePermission(calendarExport.ICAL, user);
    if (references.length === 0)
      for (const right of [FOLDER_RIGHTS.see, APPOINTMENT_RIGHTS.read])
        waiveCheck(right, 'a file without appointments');
    return this.database.read(
      user,
      (db) => this.exporter.writeFile(this.events(db, user, references), 'calendar', after),
      { snapshot: true },
    );
  }

  private async *events(
    db: Reader,
    user: UserPrincipal,
    references: readonly ExportReference[],
  ): AsyncGenerator<CalendarEvent> {
    for (let start = 0; start < references.length; start += CHUNK) {
      const chunk = references.slice(start, start + CHUNK).map((reference) => ({
        id: parseAppointmentId(reference.id, user.contextId),
        folderId: parseExportedFolderId(reference.folder_id),
      }));
      const folders = await this.access.findFolders(
        db,
        user,
        chunk.map(({ folderId }) => folderId),
      );
      const found = await this.appointments.listByIds(
        db,
        chunk.map(({ id }) => id),
      );
      const exceptions = await this.appointments.listExceptionsOfMany(
        db,
        found.filter(isSeries).map(({ id }) => id),
      );
      const byId = new Map(found.map((appointment) => [appointment.id, appointment]));
      for (const { id, folderId } of chunk) {
        const folder = folders.get(folderId);
        // Only users who see the folder learn whether an id exists.
        if (!folder) throw FolderErrors.notVisible(folderId, user.userId);
        if (folder.rights.read === 0) throw ImportExportErrors.notExportable(folderId, 'ICAL');
        const appointment = byId.get(id);
        if (!appointment) throw ObjectErrors.notFound(id, user.contextId);
        if (!isSeenIn(appointment, folder)) throw AppointmentErrors.wrongFolder(id, folderId);
        const own = exceptions.filter(({ seriesId }) => seriesId === id);
        yield* this.exporter.streamEvents(db, user, folder, [appointment, ...own]);
      }
    }
  }
}
