import type { TestUser } from '../fixtures';
import { toEventTime } from '../times';

/** Surroundings that a valid call needs. */
export interface Around {
  readonly player: TestUser;
  /** An appointment of the player. */
  readonly appointment: string;
  /** A context for administrators to do with as they like, and a user of it. */
  readonly contextId: number;
  readonly userId: number;
  /** Number for names that are not in use. */
  readonly serial: number;
}

interface ValidCall {
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
}

const START = Date.UTC(2035, 4, 7, 9);
const times = { start_date: START, end_date: START + 3_600_000 };
const FAR = 9_000_000_000_000;

/** Calls that succeed, by the name of their operation: those for which samples of the contract are not enough. */
export const VALID_CALLS: Readonly<Record<string, (around: Around) => ValidCall>> = {
  'PUT /messaging/account?action=new': () => ({
    body: {
      messagingService: 'com.example.messaging.rss',
      displayName: 'News',
      configuration: { url: 'https://news.test/' },
    },
  }),
  'PUT /snippet?action=new': () => ({ body: { displayname: 'Greeting', type: 'signature', content: 'Yours' } }),
  'PUT /chronos?action=new': ({ player }) => ({
    query: { folder: player.folder },
    body: {
      summary: 'T',
      startDate: { value: '20350507T090000', tzid: 'UTC' },
      endDate: { value: '20350507T100000', tzid: 'UTC' },
    },
  }),
  'POST /import?action=ICAL': ({ player, serial }) => ({
    query: { folder: player.folder },
    body: [
      ...['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//example//import//EN', 'BEGIN:VEVENT', `UID:imported-${serial}`],
      ...[
        'DTSTAMP:20350101T000000Z',
        'DTSTART:20350507T090000Z',
        'SUMMARY:Imported',
        'END:VEVENT',
        'END:VCALENDAR',
        '',
      ],
    ].join('\r\n'),
  }),
  'GET /messaging/service?action=get': () => ({ query: { id: 'com.example.messaging.rss' } }),
  'PUT /calendar?action=new': ({ player }) => ({
    body: {
      ...{ ...times, title: 'T', folder_id: player.folder, ignore_conflicts: true, alarm: 15, note: 'N', shown_as: 1 },
      ...{
        recurrence_type: 2,
        interval: 1,
        days: 2,
        occurrences: 3,
        uid: undefined,
        categories: 'a',
        full_time: false,
      },
      participants: [
        { type: 1, id: player.userId },
        { type: 5, mail: 'e@example.org' },
      ],
    },
  }),
  'PUT /calendar?action=update': ({ player, appointment }) => ({
    query: { id: appointment, folder: player.folder, timestamp: FAR },
    body: { ...times, title: 'T', ignore_conflicts: true, participants: [{ type: 1, id: player.userId }] },
  }),
  'PUT /calendar?action=copy': ({ player, appointment }) => ({
    query: { id: appointment, folder: player.folder, ignore_conflicts: true, timezone: 'UTC' },
    body: { folder_id: player.folder },
  }),
  'PUT /calendar?action=confirm': ({ player, appointment }) => ({
    query: { id: appointment, folder: player.folder, timestamp: FAR },
    body: { confirmation: 1, confirmmessage: 'm' },
  }),
  'PUT /calendar?action=list': ({ player, appointment }) => ({
    query: { columns: '1,200' },
    body: [{ id: appointment, folder: player.folder }],
  }),
  'PUT /calendar?action=search': ({ player }) => ({
    query: { columns: '1,200' },
    body: { pattern: 'T*', folder: player.folder },
  }),
  'PUT /export?action=ICAL': ({ player, appointment }) => ({ body: [{ id: appointment, folder_id: player.folder }] }),
  'PUT /folders?action=new': ({ serial }) => ({
    query: { folder_id: '1' },
    body: { title: `F${serial}`, module: 'calendar', permissions: undefined },
  }),
  'PUT /folders?action=update': ({ player }) => ({
    query: { id: player.folder, timestamp: FAR },
    body: { permissions: [{ entity: player.userId, bits: 403_710_016, group: false }] },
  }),
  'PUT /folders?action=delete': () => ({ query: { timestamp: FAR }, body: [] }),
  'PUT /folders?action=clear': () => ({ body: [] }),
  'PUT /infostore?action=delete': () => ({ query: { timestamp: FAR }, body: [] }),
  'PUT /infostore?action=restore': () => ({ body: [] }),
  'PUT /folders?action=notify': ({ player }) => ({
    query: { id: player.folder },
    body: { entities: [String(player.userId)], notification: { transport: 'mail', message: 'm' } },
  }),
  'PUT /share/management?action=getLink': ({ player }) => ({ body: { module: 'calendar', folder: player.folder } }),
  'PUT /share/management?action=sendLink': ({ player }) => ({
    body: { module: 'calendar', folder: player.folder, recipients: [['N', 'n@outside.example']], message: 'm' },
  }),
  'PUT /share/management?action=updateLink': ({ player }) => ({
    query: { timestamp: FAR },
    body: { module: 'calendar', folder: player.folder, expiry_date: FAR, password: 'pin of the link' },
  }),
  'PUT /group?action=new': ({ serial, player }) => ({
    body: { name: `g${serial}`, display_name: `G ${serial}`, members: [player.userId] },
  }),
  'PUT /group?action=search': () => ({ body: { pattern: '*' } }),
  'PUT /group?action=list': () => ({ body: [{ id: 0 }] }),
  'PUT /group?action=update': () => ({ query: { id: 1, timestamp: FAR }, body: { members: [] } }),
  'PUT /resource?action=new': ({ serial }) => ({
    body: { name: `r${serial}`, display_name: `R ${serial}`, mailaddress: `r${serial}@resources.example` },
  }),
  'PUT /user?action=update': ({ player }) => ({
    query: { id: player.userId, timestamp: FAR },
    body: { first_name: 'F', telephone_home1: '1', birthday: 0, note: 'n' },
  }),
  'PUT /user?action=list': ({ player }) => ({ query: { columns: '1,500' }, body: [player.userId] }),
  'PUT /user?action=setAttribute': ({ player }) => ({
    query: { id: player.userId },
    body: { name: 'n', value: 'v' },
  }),
  'POST /appPasswords?action=add': ({ serial }) => ({ body: { appScope: 'mail', appName: `n${serial}` } }),
  'PUT /multifactor/device?action=startRegistration': () => ({ body: { providerName: 'TOTP', name: 'Phone' } }),
  'PUT /pns?action=subscribe': ({ serial }) => ({
    body: { client: 'c', token: `t${serial}`, transport: 'sse', topics: ['ox:mail:*'] },
  }),
  'PUT /chronos?action=freeBusy': ({ player }) => ({
    query: { from: toEventTime(START), until: toEventTime(START + 86_400_000) },
    body: { attendees: [{ entity: player.userId }, { uri: `mailto:${player.email}` }] },
  }),
  'PUT /freebusy?action=list': ({ player }) => ({
    query: { from: START, until: START + 86_400_000 },
    body: [player.email],
  }),
  'POST /admin/v1/contexts': ({ serial }) => ({
    body: {
      ...{ name: `h${serial}`, loginMappings: [`m${serial}`], quotaMb: 10, taxonomyTypes: ['a'] },
      admin: {
        ...{ name: 'admin', password: 'a long password', displayName: 'Ad', surname: 'Min', timezone: 'UTC' },
        email: `admin@h${serial}.example`,
      },
    },
  }),
  'POST /admin/v1/contexts/{context-id}/users': ({ serial }) => ({
    body: {
      ...{ name: `u${serial}`, displayName: `U ${serial}`, surname: 'S', password: 'a long password' },
      ...{ primaryEmail: `u${serial}@h.example`, aliases: [`x${serial}@h.example`], locale: 'de_DE' },
      ...{ imap: { host: 'imap.test' }, groups: [0], moduleAccess: { combination: 'pim_plus' } },
    },
  }),
  'POST /admin/v1/contexts/{context-id}/groups': ({ serial, userId }) => ({
    body: { name: `g${serial}`, displayName: `G ${serial}`, members: [userId] },
  }),
  'POST /admin/v1/contexts/{context-id}/resources': ({ serial }) => ({
    body: {
      ...{ name: `r${serial}`, displayName: `R ${serial}`, email: `r${serial}@h.example`, type: 'ROOM', capacity: 3 },
      privileges: [{ entity: 0, group: true, privilege: 'book_directly' }],
    },
  }),
  'PUT /admin/v1/resellers/{reseller}': ({ serial }) => ({
    body: {
      ...{ displayName: `R ${serial}`, password: 'secret of one', taxonomies: ['a'], capabilities: { add: ['b'] } },
      restrictions: { maxContexts: 5, maxUsers: 5, maxQuotaMb: 5 },
    },
  }),
  'PUT /admin/v1/access-combinations/{name}': () => ({ body: { flags: ['calendar'] } }),
};
