import { defineRights, readRight } from '../kit';

/** Rights on busy times. */
export const FREE_BUSY_RIGHTS = defineRights('freebusy', {
  see: readRight('Users show their busy times to the one who asks: `com.example.calendar.freeBusyVisibility`'),
});
