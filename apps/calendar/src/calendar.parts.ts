import { directoryProvider } from '@groupware/directory';
import { folderProviders } from '@groupware/folders';
import type { Provider } from '@nestjs/common';
import { AppointmentMove } from './appointment-move';
import { AppointmentTargets } from './appointment-target';
import { AppointmentWriter } from './appointment-writer';
import { CalendarFolderRules } from './calendar-folder-rules';
import { ConflictCheck } from './conflict-check';
import { FolderAccess } from './folder-access';
import { CreateFolders1763700000000 } from './migrations/1763700000000-create-folders';
import { CreateAppointments1763700000001 } from './migrations/1763700000001-create-appointments';
import { AttendeePlaces } from './participants/attendee-places';
import { FirstAnswers } from './participants/first-answers';
import { PeopleDirectory } from './participants/people-directory';
import { AppointmentRepository } from './persistence/appointment.repository';
import { BusyRepository } from './persistence/busy.repository';
import { RangeRepository } from './persistence/range.repository';

/** Steps of the schema in order. */
export const migrations = [CreateFolders1763700000000, CreateAppointments1763700000001] as const;

/** What handlers and consumers are made of. */
export const providers: Provider[] = [
  ...folderProviders(CalendarFolderRules),
  directoryProvider('calendar'),
  AppointmentRepository,
  AppointmentWriter,
  AppointmentTargets,
  AppointmentMove,
  AttendeePlaces,
  BusyRepository,
  ConflictCheck,
  FirstAnswers,
  FolderAccess,
  PeopleDirectory,
  RangeRepository,
];
