import { property } from '../kit';

/** Visibility of the busy times of a user. */
export const FREE_BUSY_VISIBILITY = property({
  key: 'com.example.calendar.freeBusyVisibility',
  default: 'all',
  values: ['all', 'internal-only', 'none'],
  scopes: ['user', 'context', 'server'],
  doc: 'Who may see when a user is busy, through whatever door, conflicts of appointments too: everybody who may ask (all), users of the same context (internal-only), nobody (none).',
});

/** Switches the published free/busy page on. */
export const INTERNET_FREE_BUSY = property({
  key: 'com.example.calendar.enableInternetFreeBusy',
  default: false,
  doc: 'Answer questions of the internet about published free/busy times at all.',
});

/** Publishes the times of a user, or of all users and resources of a context. */
export const PUBLISH_FREE_BUSY = property({
  key: 'com.example.calendar.publishInternetFreeBusy',
  default: false,
  scopes: ['user', 'context', 'server'],
  doc: 'Publish free/busy times to the internet; needed for the context and, for a user, for the user too.',
});

/** Longest past that is published. */
export const FREE_BUSY_PAST_WEEKS = property<number>({
  key: 'com.example.calendar.internetFreeBusyMaximumTimerangePast',
  default: 12,
  scopes: ['context', 'server'],
  doc: 'Most weeks into the past that are published; less than 0: no maximum.',
});

/** Longest future that is published. */
export const FREE_BUSY_FUTURE_WEEKS = property<number>({
  key: 'com.example.calendar.internetFreeBusyMaximumTimerangeFuture',
  default: 26,
  scopes: ['context', 'server'],
  doc: 'Most weeks into the future that are published; less than 0: no maximum.',
});

/** Most attendees of one question. */
export const MAX_FREE_BUSY_ATTENDEES = property({
  key: 'com.example.calendar.maxFreeBusyAttendees',
  default: 1000,
  min: 1,
  doc: 'Most attendees of one question about free/busy times between modules and clients.',
});

/** Questions of one internet address. */
export const FREE_BUSY_RATE = property({
  key: 'com.example.calendar.internetFreeBusyRequestsPerMinute',
  default: 60,
  min: 1,
  doc: 'Most questions about published free/busy times from one address in a minute; more get 429.',
});

/** Calendars elsewhere that a user has subscribed to. */
export const FREE_BUSY_FEEDS = property({
  key: 'com.example.calendar.freeBusyFeeds',
  default: '',
  scopes: ['user', 'server'],
  doc: 'Addresses of calendars elsewhere (iCalendar feeds or free/busy pages), divided by blanks, whose times keep a user busy too.',
});

/** Free/busy pages of other servers. */
export const FREE_BUSY_SERVERS = property({
  key: 'com.example.calendar.freeBusyServers',
  default: '',
  scopes: ['context', 'server'],
  doc: 'Free/busy pages of other servers for attendees from outside, divided by blanks: domain=https://host/path?user={user}&server={server}; {address} is the whole address.',
});
