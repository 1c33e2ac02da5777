import { isDeepStrictEqual } from 'node:util';
import type { Appointment } from '../domain/appointment';
import type { ChangeTarget } from '../domain/change-target';
import type { AccessedFolder } from '../folders/folder-access';
import type { EventChanges } from './event-results';

/** As it is stored: the order of the fields counts nothing, nor do fields without value. */
const toStored = (event: Appointment): unknown => JSON.parse(JSON.stringify(event));

/** Whether a change leaves an event as it is. A change of an occurrence makes an exception of it in any case. */
export const isUnchanged = ({ before, master }: ChangeTarget, after: Appointment): boolean =>
  !master && isDeepStrictEqual(toStored(before), toStored(after));

/** The outcome of a change that changes nothing: the event with the stamp that it has. */
export const toUnchanged = (folder: AccessedFolder, event: Appointment): EventChanges => ({
  folder,
  stamp: event.lastModified,
  created: [],
  changed: [{ before: event, after: event }],
  removed: [],
});
