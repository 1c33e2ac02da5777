import { Injectable } from '@nestjs/common';
import { attachedFiles, calendarEvents, type FileCopyRequest, type Tenant } from '@groupware/contracts';
import { Caller } from '@groupware/messaging';
import { ModuleDatabase, type Transaction } from '@groupware/persistence';
import { Logger } from '@groupware/service-kit';
import { type Appointment, isException } from '../domain/appointment';
import { AppointmentRepository } from '../persistence/appointment.repository';

/** Module id of appointments, which events are, for attachments. */
export const EVENT_FILES = 1;
/** Longest wait for a copy before a change is answered, ms; the event asks for the same. */
const COPY_MS = 2000;

const log = Logger.for('calendar.files');

/** Files that created appointments get. */
export interface CopiedFiles {
  /** Series whose files they get. Absent: exceptions get those of their own series. */
  readonly filesOf?: number;
  /** Only these files of the series; absent: all. */
  readonly files?: readonly number[];
}

/** Files of one appointment that another one gets copies of. */
export type NamedFiles = Required<CopiedFiles>;

/** Stored appointments of a change. */
export interface StoredRows {
  readonly stamp: number;
  readonly created: readonly Appointment[];
  readonly changed: readonly { readonly after: Appointment }[];
}

/**
 * Gives exceptions, and parts of series that are split, copies of the files of their series: after the commit and before the
 * change is answered, and by an event where that did not happen. Until then they have none, and their count says so.
 */
@Injectable()
export class FileCopies {
  constructor(
    private readonly caller: Caller,
    private readonly database: ModuleDatabase,
    private readonly appointments: AppointmentRepository,
  ) {}

  /**
   * Requests the copies for new appointments that have the count of the files of their series. Answers the appointments as they
   * are to be stored: the count comes with the copies.
   */
  async requestCopies(
    tx: Transaction,
    created: readonly Appointment[],
    { filesOf, files }: CopiedFiles = {},
  ): Promise<Appointment[]> {
    const stored: Appointment[] = [];
    for (const each of created) {
      const from = filesOf ?? (isException(each) ? each.seriesId : null);
      if (each.attachments > 0 && from !== null && files?.length !== 0)
        await this.request(tx, { id: each.id, from, ...(files && { files: [...files] }) });
      stored.push(each.attachments > 0 ? { ...each, attachments: 0, newestAttachment: null } : each);
    }
    return stored;
  }

  /** Copies now, unless that was done before. @throws when the attachments service does not */
  async copyFiles({ contextId }: Tenant, request: FileCopyRequest): Promise<void> {
    const { id: target, from: object, files } = request;
    await this.caller.call(attachedFiles.copy, {
      principal: { kind: 'internal', service: 'calendar', contextId },
      query: { module: EVENT_FILES, object, target, ...(files && { files: [...files] }) },
      deadline: Date.now() + COPY_MS,
    });
  }

  /** The stored appointments as they are now, where new ones got files; the stamp is that of the newest. */
  async refreshCreated<T extends StoredRows>(tenant: Tenant, rows: T): Promise<T> {
    const mayHaveCopies = rows.created.length > 0 && rows.changed.some(({ after }) => after.attachments > 0);
    const ids = mayHaveCopies ? rows.created.flatMap(({ id, attachments }) => (attachments === 0 ? [id] : [])) : [];
    return this.refreshRows(tenant, rows, ids);
  }

  /** The stored appointments, of which these are read as they are now, since their files changed. */
  async refreshRows<T extends StoredRows>(tenant: Tenant, rows: T, ids: readonly number[]): Promise<T> {
    const now = await this.listByIds(tenant, ids);
    if (now.size === 0) return rows;
    const refresh = (each: Appointment): Appointment => now.get(each.id) ?? each;
    return {
      ...rows,
      stamp: Math.max(rows.stamp, ...[...now.values()].map(({ lastModified }) => lastModified)),
      created: rows.created.map(refresh),
      changed: rows.changed.map((each) => ({ ...each, after: refresh(each.after) })),
    };
  }

  /** Stored appointments as they are now, by id. */
  async listByIds(tenant: Tenant, ids: readonly number[]): Promise<ReadonlyMap<number, Appointment>> {
    if (ids.length === 0) return new Map();
    const found = await this.database.read(tenant, (db) => this.appointments.listByIds(db, ids));
    return new Map(found.map((each) => [each.id, each]));
  }

  private async request(tx: Transaction, request: FileCopyRequest): Promise<void> {
    const { contextId } = tx;
    await tx.publish(calendarEvents['file-copy.requested'], request);
    tx.awaitAfterCommit(async () => {
      try {
        await this.copyFiles({ contextId }, request);
      } catch (error) {
        log.info({ context: contextId, event: request.id, error: String(error) }, 'files are copied by event');
      }
    });
  }
}
