import { fileStoreProvider } from '@groupware/file-store';
import { CalendarExport } from './icalendar/calendar-export';
import { CalendarImport } from './icalendar/calendar-import';
import { ImportBatch } from './icalendar/import-batch';
import { SplitLeftovers } from './icalendar/split-leftovers';
import { directoryProvider, freeBusyVisibilityProvider } from '@groupware/directory';
import { folderProviders } from '@groupware/folders';
import type { Provider } from '@nestjs/common';
import { AppointmentCreator } from './appointment-creator';
import { alarmProviders } from './alarms/alarm-providers';
import { AppointmentHandover } from './appointment-handover';
import { AttachmentCounts } from './attachment-counts';
import { AppointmentMove } from './appointment-move';
import { AppointmentQuota } from './appointment-quota';
import { AppointmentTargets } from './appointment-target';
import { AppointmentView } from './appointment-view';
import { AppointmentWriter } from './appointment-writer';
import { CalendarFolderRules } from './calendar-folder-rules';
import { ConflictCheck } from './conflict-check';
import { FolderAccess } from './folder-access';
import { CreateFolders1763700000000 } from './migrations/1763700000000-create-folders';
import { CreateAppointments1763700000001 } from './migrations/1763700000001-create-appointments';
import { FollowFolders1763700300000 } from './migrations/1763700300000-follow-folders';
import { ForgetTombstones1763700100000 } from './migrations/1763700100000-forget-tombstones';
import { CreateReminders1763700200000 } from './migrations/1763700200000-create-reminders';
import { FindGroups1763700400000 } from './migrations/1763700400000-find-groups';
import { Attendance } from './participants/attendance';
import { NoteAccess1763700600000 } from './migrations/1763700600000-note-access';
import { NoteCancellations1763928000000 } from './migrations/1763928000000-note-cancellations';
import { FindSeries1764000000000 } from './migrations/1764000000000-find-series';
import { FindParts1764100000000 } from './migrations/1764100000000-find-parts';
import { AttendeePlaces } from './participants/attendee-places';
import { FindBusyTimes1763701300000 } from './migrations/1763701300000-find-busy-times';
import { CountGroupChanges1763701200000 } from './migrations/1763701200000-count-group-changes';
import { CountAttachments1763700700000 } from './migrations/1763700700000-count-attachments';
import { GroupWatch } from './participants/group-watch';
import { GroupChangeRepository } from './persistence/group-change.repository';
import { BookingAnswers } from './participants/booking-answers';
import { FirstAnswers } from './participants/first-answers';
import { PeopleDirectory } from './participants/people-directory';
import { AcquaintanceRepository } from './persistence/acquaintance.repository';
import { AppointmentRepository } from './persistence/appointment.repository';
import { AttendanceRepository } from './persistence/attendance.repository';
import { BusyPeriodsRepository } from './persistence/busy-periods.repository';
import { BusyRepository } from './persistence/busy.repository';
import { CancellationRepository } from './persistence/cancellation.repository';
import { FolderContentRepository } from './persistence/folder-content.repository';
import { FreeBusyRepository } from './persistence/free-busy.repository';
import { PartRepository } from './persistence/part.repository';
import { TombstoneRepository } from './persistence/tombstone.repository';
import { UidRepository } from './persistence/uid.repository';
import { ViewRepository } from './persistence/view.repository';
import { AnswerReceiver } from './scheduling/answer-receiver';
import { CancellationReceiver } from './scheduling/cancellation-receiver';
import { FollowingReceiver } from './scheduling/following-receiver';
import { InvitationReceiver } from './scheduling/invitation-receiver';
import { OrganizerGate } from './scheduling/organizer-gate';
import { OwnAppointmentFinder } from './scheduling/own-appointments';
import { TombstoneCleaner } from './tombstone-cleaner';

/** Steps of the schema in order. */
export const migrations = [
  CreateFolders1763700000000,
  CreateAppointments1763700000001,
  ForgetTombstones1763700100000,
  CreateReminders1763700200000,
  FollowFolders1763700300000,
  FindGroups1763700400000,
  NoteAccess1763700600000,
  CountAttachments1763700700000,
  CountGroupChanges1763701200000,
  FindBusyTimes1763701300000,
  NoteCancellations1763928000000,
  FindSeries1764000000000,
  FindParts1764100000000,
] as const;

/** What handlers and consumers are made of. */
export const providers: Provider[] = [
  ...folderProviders(CalendarFolderRules),
  directoryProvider('calendar'),
  freeBusyVisibilityProvider('calendar'),
  ...alarmProviders,
  fileStoreProvider,
  CalendarExport,
  CalendarImport,
  ImportBatch,
  AcquaintanceRepository,
  AnswerReceiver,
  AppointmentCreator,
  AppointmentRepository,
  AppointmentQuota,
  AppointmentWriter,
  AppointmentTargets,
  AppointmentHandover,
  AppointmentMove,
  FolderContentRepository,
  Attendance,
  AttendanceRepository,
  AttendeePlaces,
  BusyPeriodsRepository,
  BusyRepository,
  CancellationReceiver,
  CancellationRepository,
  ConflictCheck,
  AttachmentCounts,
  BookingAnswers,
  GroupWatch,
  GroupChangeRepository,
  FirstAnswers,
  FolderAccess,
  FollowingReceiver,
  InvitationReceiver,
  OrganizerGate,
  OwnAppointmentFinder,
  PartRepository,
  PeopleDirectory,
  AppointmentView,
  FreeBusyRepository,
  SplitLeftovers,
  TombstoneCleaner,
  TombstoneRepository,
  UidRepository,
  ViewRepository,
];
