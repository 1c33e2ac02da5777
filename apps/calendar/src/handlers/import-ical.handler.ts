import { Inject } from '@nestjs/common';
import {
  AppointmentErrors,
  calendarImport,
  isCatalogueError,
  FolderErrors,
  ImportExportErrors,
  requireImportFile,
  requireOneFolder,
  toImportReply,
  type CallOf,
  type Handler,
  type ImportedItem,
  type Reply,
} from '@groupware/contracts';
import { FILES, type FileStore } from '@groupware/file-store';
import { Handles } from '@groupware/service-kit';
import { parseCalendarFolderId } from '../folders/folder-access';
import { CalendarImport } from '../icalendar/calendar-import';

/** `import?action=ICAL`: a calendar file, with a result per item. */
@Handles(calendarImport.ICAL)
export class ImportIcalHandler implements Handler<typeof calendarImport.ICAL> {
  constructor(
    private readonly importer: CalendarImport,
    @Inject(FILES) private readonly files: FileStore,
  ) {}

  async handle({
    principal,
    query,
    files,
    signal,
  }: CallOf<typeof calendarImport.ICAL>): Promise<Reply<ImportedItem[]>> {
    const file = requireImportFile(files);
    const folderId = importFolder(query.folder);
    const results = await this.importer.importFile(principal, this.files.read(file.reference), {
      folderId,
      freshUids: query.ignoreUIDs ?? false,
      dryRun: query.dryRun ?? false,
      tellsAttendees: !query.suppressNotification,
      signal,
    });
    return toImportReply(results);
  }
}

/** A folder that is no calendar takes no calendar file. @throws I_E-0800, I_E-0500 */
function importFolder(id: string): number {
  const folder = requireOneFolder(id);
  try {
    return parseCalendarFolderId(folder);
  } catch (error) {
    const other = isCatalogueError(error, AppointmentErrors.notACalendar, FolderErrors.badId);
    throw other ? ImportExportErrors.wrongFolder('ICAL', id) : error;
  }
}
