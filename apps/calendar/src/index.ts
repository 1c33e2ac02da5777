import {
  birthdayAlarms,
  calendar,
  calendarAnswers,
  calendarBusy,
  calendarAttachments,
  calendarExport,
  guestCalendars,
  calendarFolders,
  calendarImport,
  calendarQuota,
  calendarReaders,
  calendarReminders,
  calendarScheduling,
  calendarViews,
  chronos,
  chronosAccounts,
  chronosAlarms,
  chronosAvailability,
  chronosCatalogue,
  chronosChanges,
  chronosItip,
  contactBirthdays,
  contacts,
  findEvents,
  calendarSecrets,
  userConfig,
} from '@groupware/contracts';
import {
  FOLDER_CONSUMERS,
  ATTACHMENT_CONSUMERS,
  attachmentsChangedHandler,
  folderHandlers,
  quotaHandler,
} from '@groupware/folders';
import { fileStoreCheck, FILES, FileStoreSettings } from '@groupware/file-store';
import { OutboundSettings } from '@groupware/outbound';
import { BasePathSettings, defineService, SecretKeySettings } from '@groupware/service-kit';
import { AppointmentQuota } from './appointments/appointment-quota';
import { CalendarConfig } from './calendar.config';
import { migrations, providers } from './calendar.parts';

/** The calendar service. */
export const service = defineService({
  name: 'calendar',
  contracts: [
    calendarSecrets,
    calendar,
    calendarAnswers,
    calendarBusy,
    calendarAttachments,
    calendarViews,
    chronos,
    chronosChanges,
    chronosAccounts,
    chronosAlarms,
    chronosAvailability,
    chronosCatalogue,
    chronosItip,
    calendarFolders,
    calendarImport,
    calendarQuota,
    calendarExport,
    guestCalendars,
    calendarReaders,
    calendarScheduling,
    calendarReminders,
    findEvents,
    birthdayAlarms,
  ],
  calls: [contacts.autocomplete, contactBirthdays.list, userConfig.ofUsers],
  config: [BasePathSettings, CalendarConfig, SecretKeySettings, FileStoreSettings, OutboundSettings],
  directory: __dirname,
  consumers: [...FOLDER_CONSUMERS, ...ATTACHMENT_CONSUMERS],
  handlers: [
    ...folderHandlers(calendarFolders),
    attachmentsChangedHandler(calendarAttachments),
    quotaHandler(calendarQuota, AppointmentQuota),
  ],
  migrations,
  providers,
  checks: (module) => ({ filestore: fileStoreCheck(module.get(FILES, { strict: false })) }),
});
