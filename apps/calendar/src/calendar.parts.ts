import { fileStoreProvider } from '@groupware/file-store';
import { AttendeeAnswers } from './events/attendee-answers';
import { EventCreator } from './events/event-creator';
import { EventFiles } from './events/event-files';
import { FileCopies } from './appointments/file-copies';
import { EventFinder } from './events/event-finder';
import { EventFolders } from './events/event-folders';
import { EventReader } from './events/event-reader';
import { EventResults } from './events/event-results';
import { EventSettings } from './events/event-settings';
import { EventUpdater } from './events/event-updater';
import { SeriesSplitter } from './events/series-splitter';
import { BirthdayCalendars } from './feeds/birthday-calendars';
import { FeedAccounts } from './feeds/feed-accounts';
import { FeedChanges } from './feeds/feed-changes';
import { FeedDefaultAlarms } from './feeds/feed-default-alarms';
import { FeedEventRepository } from './feeds/feed-event.repository';
import { FeedImport } from './feeds/feed-import';
import { FeedLoop } from './feeds/feed-loop';
import { FeedReader } from './feeds/feed-reader';
import { FeedRefusal } from './feeds/feed-refusal';
import { FeedRefresher } from './feeds/feed-refresher';
import { FeedRepository } from './feeds/feed.repository';
import { FeedView } from './feeds/feed-view';
import { FeedVault } from './feeds/feed-vault';
import { CalendarExport } from './icalendar/calendar-export';
import { CalendarImport } from './icalendar/calendar-import';
import { ImportBatch } from './icalendar/import-batch';
import { SplitLeftovers } from './icalendar/split-leftovers';
import { directoryProvider, freeBusyVisibilityProvider } from '@groupware/directory';
import { AttachmentCounts, folderProviders, tombstoneCleaner } from '@groupware/folders';
import { outboundProviders } from '@groupware/outbound';
import { Logger } from '@groupware/service-kit';
import type { Provider } from '@nestjs/common';
import { AppointmentChanger } from './appointments/appointment-changer';
import { AppointmentCreator } from './appointments/appointment-creator';
import { alarmProviders } from './alarms/alarm-providers';
import { AppointmentHandover } from './appointments/appointment-handover';
import { EventFacetFinder } from './find/event-facet-finder';
import { AppointmentAttachments } from './appointments/appointment-attachments';
import { CalendarConfig } from './calendar.config';
import { AppointmentMover } from './appointments/appointment-mover';
import { AppointmentQuota } from './appointments/appointment-quota';
import { AppointmentTargets } from './appointments/appointment-target';
import { AppointmentView } from './views/appointment-view';
import { AppointmentWriter } from './appointments/appointment-writer';
import { CalendarFolderRules } from './folders/calendar-folder-rules';
import { ConflictCheck } from './conflicts/conflict-check';
import { FolderAccess } from './folders/folder-access';
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
import { AnalyzeEarly1764200000000 } from './migrations/1764200000000-analyze-early';
import { AnnounceShares1764300000000 } from './migrations/1764300000000-announce-shares';
import { FolderDetails1764400000000 } from './migrations/1764400000000-folder-details';
import { IndexFolders1764400000001 } from './migrations/1764400000001-index-folders';
import { Availability1795420000001 } from './migrations/1795420000001-availability';
import { BirthdayCalendars1795455000000 } from './migrations/1795455000000-birthday-calendars';
import { FeedAlarms1795465000000 } from './migrations/1795465000000-feed-alarms';
import { FindFeedAlarms1795465100000 } from './migrations/1795465100000-find-feed-alarms';
import { DefaultAlarms1795500000000 } from './migrations/1795500000000-default-alarms';
import { FindTransparentCalendars1795510000000 } from './migrations/1795510000000-find-transparent-calendars';
import { CreateFeeds1795440000000 } from './migrations/1795440000000-create-feeds';
import { StampMessages1795420000000 } from './migrations/1795420000000-stamp-messages';
import { CreateAlarmTriggers1795430000000 } from './migrations/1795430000000-create-alarm-triggers';
import { AttendeeCalendars } from './participants/attendee-calendars';
import { FindBusyTimes1763701300000 } from './migrations/1763701300000-find-busy-times';
import { CountGroupChanges1763701200000 } from './migrations/1763701200000-count-group-changes';
import { CountAttachments1763700700000 } from './migrations/1763700700000-count-attachments';
import { GroupWatch } from './participants/group-watch';
import { GroupChangeRepository } from './persistence/group-change.repository';
import { BookingReplies } from './participants/booking-replies';
import { DefaultReplies } from './participants/default-replies';
import { PeopleDirectory } from './participants/people-directory';
import { KnownContactRepository } from './persistence/known-contact.repository';
import { AppointmentRepository } from './persistence/appointment.repository';
import { AttendanceRepository } from './persistence/attendance.repository';
import { AvailabilityRepository } from './persistence/availability.repository';
import { BusyPeriodsRepository } from './persistence/busy-periods.repository';
import { BusyRepository } from './persistence/busy.repository';
import { CancellationRepository } from './persistence/cancellation.repository';
import { EventRepository } from './persistence/event.repository';
import { EventSearchRepository } from './persistence/event-search.repository';
import { FolderContentRepository } from './persistence/folder-content.repository';
import { FreeBusyRepository } from './persistence/free-busy.repository';
import { PartRepository } from './persistence/part.repository';
import { SchedulingStampRepository } from './persistence/scheduling-stamp.repository';
import { UidRepository } from './persistence/uid.repository';
import { ViewRepository } from './persistence/view.repository';
import { ReplyReceiver } from './scheduling/reply-receiver';
import { CancellationReceiver } from './scheduling/cancellation-receiver';
import { FollowingReceiver } from './scheduling/following-receiver';
import { LocalRepliers } from './scheduling/local-repliers';
import { InvitedFiles } from './scheduling/invited-files';
import { InvitationReceiver } from './scheduling/invitation-receiver';
import { SchedulingOutbox } from './scheduling/outgoing/scheduling-outbox';
import { ItipActions } from './scheduling/itip/itip-actions';
import { ItipAnalyzer } from './scheduling/itip/itip-analyzer';
import { ItipDecisions } from './scheduling/itip/itip-decisions';
import { ItipMessages } from './scheduling/itip/itip-messages';
import { OrganizerCheck } from './scheduling/organizer-check';
import { OwnAppointmentFinder } from './scheduling/own-appointments';

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
  AnalyzeEarly1764200000000,
  AnnounceShares1764300000000,
  FolderDetails1764400000000,
  IndexFolders1764400000001,
  StampMessages1795420000000,
  Availability1795420000001,
  CreateAlarmTriggers1795430000000,
  CreateFeeds1795440000000,
  BirthdayCalendars1795455000000,
  FeedAlarms1795465000000,
  FindFeedAlarms1795465100000,
  DefaultAlarms1795500000000,
  FindTransparentCalendars1795510000000,
] as const;

/** Providers of handlers and consumers. */
export const providers: Provider[] = [
  ...folderProviders(CalendarFolderRules),
  directoryProvider('calendar'),
  freeBusyVisibilityProvider('calendar'),
  ...alarmProviders,
  fileStoreProvider,
  CalendarExport,
  CalendarImport,
  ImportBatch,
  KnownContactRepository,
  ReplyReceiver,
  AppointmentChanger,
  AppointmentCreator,
  AppointmentRepository,
  AppointmentQuota,
  AppointmentWriter,
  AppointmentTargets,
  AppointmentHandover,
  AppointmentMover,
  FolderContentRepository,
  Attendance,
  AttendanceRepository,
  AttendeeAnswers,
  AttendeeCalendars,
  AvailabilityRepository,
  BusyPeriodsRepository,
  BusyRepository,
  CancellationReceiver,
  CancellationRepository,
  ConflictCheck,
  { provide: AttachmentCounts, useClass: AppointmentAttachments },
  BirthdayCalendars,
  BookingReplies,
  GroupWatch,
  GroupChangeRepository,
  DefaultReplies,
  EventCreator,
  EventFacetFinder,
  EventFiles,
  FileCopies,
  EventFinder,
  EventFolders,
  EventReader,
  EventRepository,
  EventResults,
  EventSearchRepository,
  EventSettings,
  EventUpdater,
  SeriesSplitter,
  FeedAccounts,
  FeedChanges,
  FeedDefaultAlarms,
  FeedEventRepository,
  FeedImport,
  FeedLoop,
  FeedReader,
  FeedRefresher,
  FeedRefusal,
  FeedRepository,
  FeedVault,
  FeedView,
  FolderAccess,
  FollowingReceiver,
  LocalRepliers,
  InvitationReceiver,
  InvitedFiles,
  ItipActions,
  ItipAnalyzer,
  ItipDecisions,
  ItipMessages,
  OrganizerCheck,
  ...outboundProviders,
  OwnAppointmentFinder,
  PartRepository,
  PeopleDirectory,
  AppointmentView,
  FreeBusyRepository,
  SchedulingOutbox,
  SchedulingStampRepository,
  SplitLeftovers,
  tombstoneCleaner(
    { counter: 'appointment_counter', tombstone: 'tombstone' },
    CalendarConfig,
    Logger.for('calendar.tombstones'),
    [CancellationRepository, SchedulingStampRepository],
  ),
  UidRepository,
  ViewRepository,
];
