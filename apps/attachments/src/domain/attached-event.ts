import {
  AppointmentErrors,
  AttachmentErrors,
  CalendarErrors,
  CatalogueError,
  FolderErrors,
  ObjectErrors,
  toPlainFolderId,
} from '@groupware/contracts';
import type { AttachedObject } from './attached-object';

/** Module id of appointments, which events are. */
const APPOINTMENT = 1;

/** Names an event. */
interface EventName {
  readonly id: string;
  readonly folder: string;
}

/** An event as an object with attachments. CAL-4040 and FLD-0008 for ids that nothing has. */
export function toAttachedEvent({ id, folder }: EventName): AttachedObject {
  const plain = toPlainFolderId(folder);
  if (!/^\d{1,9}$/.test(plain)) throw FolderErrors.notFound(folder);
  if (!/^\d{1,9}$/.test(id)) throw CalendarErrors.eventNotFound(id);
  return { module: APPOINTMENT, attached: Number(id), folder: Number(plain) };
}

/** Runs work with the files of an event; the errors of appointments and attachments are those of events. */
export async function asEventFiles<T>({ id, folder }: EventName, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof CatalogueError)) throw error;
    const cause = error;
    if (error.is(ObjectErrors.notFound)) throw CalendarErrors.eventNotFound(id).with({ cause });
    if (error.is(AppointmentErrors.notACalendar)) throw FolderErrors.notFound(folder).with({ cause });
    if (error.is(AppointmentErrors.wrongFolder)) throw CalendarErrors.eventNotInFolder(id, folder).with({ cause });
    if (error.is(AppointmentErrors.notReadable)) throw CalendarErrors.eventNotFound(id).with({ cause });
    if (error.is(AttachmentErrors.notFound)) throw CalendarErrors.attachmentNotFound(error.params[0]).with({ cause });
    throw error;
  }
}
