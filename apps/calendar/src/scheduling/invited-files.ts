import { createHash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import {
  type AttachedFile,
  attachedFiles,
  CatalogueError,
  mailScheduling,
  type MailCalendarFile,
  type ServicePrincipal,
  type StoredUpload,
  type UserPrincipal,
} from '@groupware/contracts';
import { FILES, type FileStore } from '@groupware/file-store';
import type { CalendarAttachment, CalendarEvent } from '@groupware/icalendar';
import { Caller } from '@groupware/messaging';
import { ModuleDatabase } from '@groupware/persistence';
import { Logger } from '@groupware/service-kit';
import { AppointmentWriter } from '../appointments/appointment-writer';
import { EVENT_FILES } from '../appointments/file-copies';
import { CalendarConfig } from '../calendar.config';
import type { Appointment } from '../domain/appointment';
import { getEventRest, withRest } from '../domain/appointment-rest';
import { isInvitedCopy } from '../domain/organizer';
import { toServicePrincipal } from '../domain/service-principal';
import { AppointmentRepository } from '../persistence/appointment.repository';

/** A file of a message in the file store, unclaimed. */
type KeptFile = StoredUpload & { readonly sha256: string };

/** Files of one event of a message. */
export interface FilesOfEvent {
  readonly files: readonly KeptFile[];
  /** False where some were not read: then none of those that the event has is known to be gone. */
  readonly isComplete: boolean;
}

/** An event whose files are in the file store, without the attachments that they came as. */
export interface EventWithFiles extends FilesOfEvent {
  readonly event: CalendarEvent;
}

/** A stored event after a message that brings files. */
export interface InvitedEvent extends FilesOfEvent {
  readonly next?: Appointment;
}

const MAX_NAME = 255;
const MEDIA_TYPE = /^[\w.+-]+\/[\w.+-]+$/;
const log = Logger.for('calendar.files');

const contentIdOf = ({ uri }: CalendarAttachment): string | undefined => {
  const [, id] = /^cid:(.+)$/i.exec(uri ?? '') ?? [];
  return id === undefined ? undefined : decodeUri(id);
};
const isFile = (attachment: CalendarAttachment): boolean =>
  attachment.data !== undefined || contentIdOf(attachment) !== undefined;
const toKey = ({ name, sizeBytes, sha256 }: Pick<AttachedFile, 'name' | 'sizeBytes'> & { sha256: string }): string =>
  JSON.stringify([name, sizeBytes, sha256]);

/**
 * Files that come with scheduling messages, as parts of the mail that ATTACH names by `cid:` or within the calendar (RFC 5545, section
 * 3.8.1.1; RFC 6047): they are files of the invited user's event like those that he attaches himself.
 */
@Injectable()
export class InvitedFiles {
  constructor(
    private readonly caller: Caller,
    private readonly config: CalendarConfig,
    @Inject(FILES) private readonly store: FileStore,
    private readonly database: ModuleDatabase,
    private readonly appointments: AppointmentRepository,
    private readonly writer: AppointmentWriter,
  ) {}

  /** Writes the files of events to the file store, as long as there are not too many and they fit. */
  async keep(
    user: UserPrincipal,
    events: readonly CalendarEvent[],
    mail: { readonly folder: string; readonly id: string } | undefined,
  ): Promise<EventWithFiles[]> {
    const budget = { files: this.config.schedulingMaxFiles, bytes: this.config.schedulingMaxFilesBytes };
    const parts = await this.keepParts(user, events, mail, budget);
    const kept: EventWithFiles[] = [];
    for (const event of events) {
      const attachments: CalendarAttachment[] = [];
      const files: KeptFile[] = [];
      let isComplete = true;
      for (const attachment of event.attachments) {
        const isLink = !isFile(attachment);
        const file = isLink ? undefined : await this.keepFile(user, attachment, parts, budget);
        if (file) files.push(file);
        else attachments.push(attachment);
        isComplete &&= isLink || file !== undefined;
      }
      kept.push({ event: files.length > 0 ? { ...event, attachments } : event, files, isComplete });
    }
    return kept;
  }

  /**
   * Gives stored events the files that came with them, and takes those that came with an earlier message and not with this one; files
   * that the user attached himself stay. Files that are refused, as infected ones or beyond a quota, are left out. Answers the ids of
   * events whose files are others now.
   */
  async storeFiles(user: UserPrincipal, events: readonly InvitedEvent[]): Promise<number[]> {
    const copies = events.flatMap(({ next, ...others }) => {
      if (!next || next.id === 0 || !isInvitedCopy(next)) return [];
      // A new exception gets copies of the files of its series, and knows them already.
      const mayHaveFiles = next.attachments > 0 || getEventRest(next).invitedFiles !== undefined;
      return others.files.length > 0 || mayHaveFiles ? [{ ...others, next }] : [];
    });
    if (copies.length === 0) return [];
    const principal = toServicePrincipal(user);
    const found = await this.caller.call(attachedFiles.list, {
      principal,
      query: { module: EVENT_FILES, objects: copies.map(({ next }) => next.id) },
    });
    const changed: number[] = [];
    for (const { next, files, isComplete } of copies) {
      const stored = found.filter(({ object }) => object === next.id);
      const had = new Set(getEventRest(next).invitedFiles);
      const has = new Set(stored.map(toKey));
      const wanted = new Map(files.map((file) => [toKey(file), file]));
      const gone = stored.filter((file) => isComplete && had.has(toKey(file)) && !wanted.has(toKey(file)));
      const added = [...wanted].flatMap(([key, file]) => (has.has(key) ? [] : [file]));
      const query = { module: EVENT_FILES, object: next.id, folder: next.folderId };
      if (gone.length > 0)
        await this.caller.call(attachedFiles.detach, { principal, query: { ...query, ids: gone.map(({ id }) => id) } });
      if (added.length > 0) await this.attach(principal, query, added);
      const known = isComplete ? [...wanted.keys()] : [...new Set([...had, ...wanted.keys()])];
      const isNoted = known.length === had.size && known.every((key) => had.has(key));
      if (!isNoted) await this.note(user, next.id, known);
      if (gone.length + added.length > 0 || !isNoted) changed.push(next.id);
    }
    return changed;
  }

  /** Notes which files came with the newest message. */
  private async note(user: UserPrincipal, id: number, invitedFiles: readonly string[]): Promise<void> {
    await this.database.transact(user, async (tx) => {
      const before = await this.appointments.lockById(tx, id);
      if (!before) return;
      const after = { ...before, extra: withRest(before, { event: { invitedFiles } }) };
      await this.writer.writeChanges(tx, undefined, { changed: [{ before, after }] });
    });
  }

  /** Removes what no event took. */
  async discard(events: readonly FilesOfEvent[]): Promise<void> {
    const references = new Set(events.flatMap(({ files }) => files.map(({ reference }) => reference)));
    await Promise.allSettled([...references].map((reference) => this.store.discard(reference)));
  }

  /** All files at once; where that is refused, each alone. */
  private async attach(
    principal: ServicePrincipal,
    query: { readonly module: number; readonly object: number; readonly folder: number },
    files: readonly KeptFile[],
  ): Promise<void> {
    try {
      await this.caller.call(attachedFiles.attach, { principal, query: { ...query, files: [...files] } });
    } catch (error) {
      if (!(error instanceof CatalogueError)) throw error;
      if (files.length > 1) for (const file of files) await this.attach(principal, query, [file]);
      else log.info({ context: principal.contextId, event: query.object, code: error.code }, 'invited file is refused');
    }
  }

  private async keepParts(
    user: UserPrincipal,
    events: readonly CalendarEvent[],
    mail: { readonly folder: string; readonly id: string } | undefined,
    budget: Budget,
  ): Promise<ReadonlyMap<string, MailCalendarFile>> {
    const ids = new Set(events.flatMap(({ attachments }) => attachments.flatMap((each) => contentIdOf(each) ?? [])));
    const contentIds = [...ids].slice(0, budget.files);
    if (!mail || contentIds.length === 0) return new Map();
    try {
      const kept = await this.caller.call(mailScheduling.keepFiles, {
        principal: toServicePrincipal(user),
        query: { ...mail, contentIds, maxBytes: budget.bytes },
      });
      for (const { sizeBytes } of kept) spendBudget(budget, sizeBytes);
      return new Map(kept.map((file) => [file.contentId, file]));
    } catch (error) {
      if (!(error instanceof CatalogueError)) throw error;
      log.info({ context: user.contextId, user: user.userId, code: error.code }, 'files of a mail are not read');
      return new Map();
    }
  }

  private async keepFile(
    { contextId }: UserPrincipal,
    attachment: CalendarAttachment,
    parts: ReadonlyMap<string, MailCalendarFile>,
    budget: Budget,
  ): Promise<KeptFile | undefined> {
    const { data, fileName, formatType } = attachment;
    if (data === undefined) {
      const part = parts.get(contentIdOf(attachment)!);
      if (!part) return undefined;
      const { reference, name, contentType, sizeBytes, sha256 } = part;
      return {
        reference,
        name: toName(fileName ?? name),
        contentType: toType(formatType, contentType),
        sizeBytes,
        sha256,
      };
    }
    const bytes = Buffer.from(data, 'base64');
    if (!spendBudget(budget, bytes.length)) return undefined;
    const { reference } = await this.store.write(
      (async function* () {
        yield bytes;
      })(),
      { maxBytes: bytes.length, contextId },
    );
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    return { reference, name: toName(fileName), contentType: toType(formatType), sizeBytes: bytes.length, sha256 };
  }
}

/** Number and bytes of files that a message may still bring. */
interface Budget {
  files: number;
  bytes: number;
}

/** Takes a file off the budget; answers false, and takes nothing, where it does not fit. */
function spendBudget(budget: Budget, sizeBytes: number): boolean {
  if (budget.files < 1 || budget.bytes < sizeBytes) return false;
  budget.files -= 1;
  budget.bytes -= sizeBytes;
  return true;
}

/** A file name that attachments may have. */
function toName(name: string | undefined): string {
  const base = name
    ?.replace(/[\p{Cc}\p{Surrogate}]/gu, '')
    .split(/[/\\]/)
    .at(-1)!
    .trim()
    .slice(0, MAX_NAME);
  return base || 'attachment';
}

const toType = (...types: readonly (string | undefined)[]): string =>
  types.map((type) => type?.trim()).find((type) => type !== undefined && MEDIA_TYPE.test(type) && type.length <= 255) ??
  'application/octet-stream';

function decodeUri(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
