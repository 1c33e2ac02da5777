import { event, eventCatalog } from '../kit';

/** Attachments of an object after a change of them. */
export interface AttachedFiles {
  /** Module id of attachments: 1 appointment, 4 task, 7 contact, 137 infostore. */
  readonly module: number;
  readonly object: number;
  readonly count: number;
  /** When the newest one was attached, ms UTC; null without any. */
  readonly newest: number | null;
  /** Grows strictly from change to change: the state with the highest number holds, whatever order states arrive in. */
  readonly revision: number;
  readonly userId: number;
  /** Nothing else of the object changes: its participants are to be told. */
  readonly announce?: boolean;
  /** Space that all attachments of the context use now, bytes. */
  readonly usedBytes: number;
  /** Reservation in the file store for this change that is counted in `usedBytes` now, see `context-storage`. */
  readonly reservation?: string;
}

/** Events of the attachments service. */
export const attachmentEvents = eventCatalog('attachments', {
  'object.changed': event<AttachedFiles>('Files were attached to an object or detached from it'),
});
