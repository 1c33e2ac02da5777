import { property } from '../kit';

/** Time zone of users who bring none. */
export const DEFAULT_USER_TIME_ZONE = property<string>({
  key: 'com.example.user.defaultTimezone',
  default: 'UTC',
  doc: 'Time zone of new users and administrators of contexts who are created without one.',
});
