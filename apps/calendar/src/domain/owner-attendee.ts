import { type Attendee, CONFIRM, PARTICIPANT } from './appointment';

/** The row of whom a calendar belongs to, in an appointment of it: he has accepted, and sees it right there. */
export const createOwnerAttendee = (userId: number, known: Partial<Attendee> = {}): Attendee => ({
  type: PARTICIPANT.user,
  entity: userId,
  mail: null,
  displayName: null,
  folderId: null,
  direct: true,
  listed: true,
  hidden: false,
  confirm: CONFIRM.accepted,
  message: null,
  alarm: null,
  extra: null,
  ...known,
});
