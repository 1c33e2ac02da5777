import { Injectable } from '@nestjs/common';
import {
  attachedFiles,
  CalendarErrors,
  CatalogueError,
  type EventAttachmentData,
  type EventData,
  type StoredUpload,
  type UploadedFile,
  type UserPrincipal,
} from '@groupware/contracts';
import { Caller } from '@groupware/messaging';
import { ModuleDatabase } from '@groupware/persistence';
import { EVENT_FILES, FileCopies, type NamedFiles } from '../appointments/file-copies';
import { AppointmentWriter } from '../appointments/appointment-writer';
import { type Appointment, isSeries } from '../domain/appointment';
import { toServicePrincipal } from '../domain/service-principal';
import { AppointmentRepository } from '../persistence/appointment.repository';
import { type SchedulingOptions, SchedulingOutbox } from '../scheduling/outgoing/scheduling-outbox';
import type { EventCreation } from './event-creator';
import { EventFinder } from './event-finder';
import type { EventChanges } from './event-results';

/** The files of events, which the attachments service keeps. They come and go after the change of the event itself. */
@Injectable()
export class EventFiles {
  constructor(
    private readonly caller: Caller,
    private readonly database: ModuleDatabase,
    private readonly appointments: AppointmentRepository,
    private readonly writer: AppointmentWriter,
    private readonly outbox: SchedulingOutbox,
    private readonly copies: FileCopies,
    private readonly finder: EventFinder,
  ) {}

  /** The uploaded parts that attachments of an event name, as `cid:file_0`; one that is not there is CAL-4006. */
  matchFiles({ attachments }: EventData, files: readonly UploadedFile[]): StoredUpload[] {
    return (attachments ?? []).flatMap((attachment) => {
      const field = findPartName(attachment);
      if (field === undefined) return [];
      const { filename, fmtType } = attachment;
      const file = files.find((each) => each.field === field);
      if (!file) throw CalendarErrors.badData('attachments', `there is no part ${field}`);
      const { reference, name, contentType, sizeBytes, sha256 } = file;
      return { reference, name: filename ?? name, contentType: fmtType ?? contentType, sizeBytes, sha256 };
    });
  }

  /** The events of a series, or the event itself, whose files a list of attachments names, by the ids of these files. */
  async findOwners(user: UserPrincipal, id: number, { attachments }: EventData): Promise<ReadonlyMap<number, number>> {
    if (!attachments?.some(({ managedId }) => managedId != null)) return new Map();
    const objects = await this.database.read(user, async (db) => {
      const event = await this.appointments.findById(db, id);
      if (!event || !isSeries(event)) return [id];
      return [id, ...(await this.appointments.listExceptions(db, id)).map((each) => each.id)];
    });
    const found = await this.caller.call(attachedFiles.list, {
      principal: toServicePrincipal(user),
      query: { module: EVENT_FILES, objects },
    });
    return new Map(found.map((file) => [file.id, file.object]));
  }

  /** The files that a new event gets of another one that the user reads; CAL-4047 for all others. */
  async findSource(user: UserPrincipal, body: EventData): Promise<NamedFiles | undefined> {
    const files = listNamedFiles(body) ?? [];
    if (files.length === 0) return undefined;
    const found = await this.caller.call(attachedFiles.list, {
      principal: toServicePrincipal(user),
      query: { module: EVENT_FILES, objects: [], files },
    });
    const owners = new Map(found.map(({ id, object }) => [id, object]));
    const filesOf = owners.get(files[0]!) ?? 0;
    requireOwnFiles(body, filesOf, owners);
    await this.database.read(user, async (db) => {
      try {
        const { event } = await this.finder.resolveEvent(db, user, filesOf);
        if (event.anonymous) throw CalendarErrors.eventNotFound(filesOf);
      } catch (error) {
        if (error instanceof CatalogueError) throw CalendarErrors.attachmentNotFound(files[0]);
        throw error;
      }
    });
    return { filesOf, files };
  }

  /** Attaches files to a new event, and tells of it; where they are refused there is no event either. */
  async attachToNew(
    user: UserPrincipal,
    creation: EventCreation,
    files: readonly StoredUpload[],
    options: SchedulingOptions,
  ): Promise<EventCreation> {
    if (!('changes' in creation)) return creation;
    try {
      return await this.announce(user, await this.attachFiles(user, creation.changes, files), options);
    } catch (error) {
      if (files.length === 0) throw error;
      const removed = creation.changes.created;
      await this.database.transact(user, async (tx) => {
        await this.writer.writeChanges(tx, user.userId, { removed });
      });
      throw error;
    }
  }

  /** Detaches and attaches what a change says of its files, and tells of it; refused files leave the rest of it as it is. */
  async storeFiles(
    user: UserPrincipal,
    outcome: EventCreation,
    body: EventData,
    files: readonly StoredUpload[],
    options: SchedulingOptions,
  ): Promise<EventCreation> {
    if (!('changes' in outcome)) return outcome;
    let changes: EventChanges;
    try {
      changes = await this.attachFiles(user, await this.keepFiles(user, outcome.changes, body), files);
    } catch (error) {
      await this.announce(user, outcome.changes, options);
      throw error;
    }
    return this.announce(user, changes, options);
  }

  private async attachFiles(
    user: UserPrincipal,
    changes: EventChanges,
    files: readonly StoredUpload[],
  ): Promise<EventChanges> {
    if (files.length === 0) return changes;
    const event = subjectOf(changes);
    const query = { module: EVENT_FILES, object: event.id, folder: changes.folder.id, files: [...files] };
    await this.caller.call(attachedFiles.attach, { principal: toServicePrincipal(user), query });
    return changes;
  }

  /** Tells attendees of an event and its files, where that waited for these; answers the event as it is now. */
  private async announce(
    user: UserPrincipal,
    changes: EventChanges,
    options: SchedulingOptions,
  ): Promise<{ readonly changes: EventChanges }> {
    if (!changes.awaitsFiles) return { changes };
    const { id } = subjectOf(changes);
    const now = await this.copies.refreshRows(user, changes, [id, ...changes.created.map((each) => each.id)]);
    await this.database.transact(user, (tx) => this.outbox.announceWithFiles(tx, user, now, id, options));
    return { changes: now };
  }

  /**
   * Detaches files that the list of attachments of a change does not name. A new exception has only those that it names; of a split
   * series the later part loses them, once the earlier one has copies of all.
   */
  private async keepFiles(
    user: UserPrincipal,
    changes: EventChanges,
    { attachments }: EventData,
  ): Promise<EventChanges> {
    if (attachments === undefined) return changes;
    const event = subjectOf(changes);
    if (event.attachments === 0 || changes.created.includes(event)) return changes;
    const kept = new Set(listNamedFiles({ attachments }));
    const principal = toServicePrincipal(user);
    const found = await this.caller.call(attachedFiles.list, {
      principal,
      query: { module: EVENT_FILES, objects: [event.id] },
    });
    const ids = found.map(({ id }) => id).filter((id) => !kept.has(id));
    if (ids.length === 0) return changes;
    const part = findNewPart(changes);
    if (part) await this.copies.copyFiles(user, { id: part.id, from: event.id });
    const query = { module: EVENT_FILES, object: event.id, folder: changes.folder.id, ids };
    await this.caller.call(attachedFiles.detach, { principal, query });
    return changes;
  }
}

/** Requires that an event has the files that a list of attachments names, so that none is lost for a wrong id (CAL-4047). */
export function requireOwnFiles(
  { attachments }: EventData,
  eventId: number,
  owners: ReadonlyMap<number, number>,
): void {
  for (const { managedId } of attachments ?? [])
    if (managedId != null && owners.get(managedId) !== eventId) throw CalendarErrors.attachmentNotFound(managedId);
}

/** Ids of the stored files that a list of attachments names; undefined without a list. */
export const listNamedFiles = ({ attachments }: EventData): number[] | undefined =>
  attachments === undefined
    ? undefined
    : [...new Set((attachments ?? []).flatMap(({ managedId }) => (managedId == null ? [] : [managedId])))];

/** Whether a list of attachments brings new files, or leaves out some of those that an event has. */
export const hasOtherFiles = (body: EventData, stored: number): boolean =>
  (listNamedFiles(body)?.length ?? stored) < stored ||
  body.attachments?.some((each) => findPartName(each) !== undefined) === true;

/** Name of the uploaded part that is to become an attachment; undefined for other attachments. */
const findPartName = ({ managedId, uri }: EventAttachmentData): string | undefined =>
  managedId == null ? /^cid:(.*)$/i.exec(uri ?? '')?.[1] : undefined;

/** The event that a request is about: the new one, or that which was changed. */
const subjectOf = (changes: EventChanges): Appointment =>
  (findNewPart(changes) ? undefined : changes.created[0]) ?? changes.changed[0]!.after;

/** The earlier part of a series that was split. */
const findNewPart = ({ created: [first], changed }: EventChanges): Appointment | undefined =>
  first && changed.some(({ after }) => isSeries(after) && after.id !== first.seriesId) ? first : undefined;
