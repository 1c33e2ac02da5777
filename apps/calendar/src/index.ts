import { calendar, calendarFolders } from '@groupware/contracts';
import { folderHandlers } from '@groupware/folders';
import { defineService } from '@groupware/service-kit';
import { migrations, providers } from './calendar.parts';

/** The calendar service. */
export const service = defineService({
  name: 'calendar',
  contracts: [calendar, calendarFolders],
  directory: __dirname,
  handlers: folderHandlers(calendarFolders),
  migrations,
  providers,
});
