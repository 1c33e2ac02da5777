import {
  action,
  allowCallers,
  defineModule,
  Field,
  json,
  jsonListOf,
  many,
  none,
  one,
  property,
  requireRights,
  rest,
  restAt,
  value,
} from '../kit';
import { RequestErrors, RestErrors } from '../edge/edge.errors';
import { DirectoryErrors } from '../identity/identity.errors';
import { CONTEXT_RIGHTS } from '../identity/directory.access';

const OWN_SESSIONS = allowCallers('sessions of the user of the session only');

/** Clients whose sessions a user neither sees nor ends by `clear`. */
export const HIDDEN_CLIENTS = property<string>({
  key: 'com.example.session.management.clientBlacklist',
  default: '',
  doc: 'Comma list of client ids whose sessions the session management of users hides; `*` at the end stands for any text.',
});

/** Operating system of a device. */
export interface DeviceSystem {
  readonly name: string;
  readonly version?: string;
}

/** Program on a device. */
export interface DeviceClient {
  readonly name: string;
  readonly version?: string;
  readonly type: 'browser' | 'oxapp' | 'eas' | 'dav' | 'other';
  readonly family: string;
}

/** Device on which a session is in use, as far as its user agent tells. */
export class SessionDevice {
  @Field.text({ doc: 'Name for people, such as "Firefox 130, Linux"' }) displayName!: string;
  @Field.any({ doc: 'Operating system: {name, version?}' }) os!: DeviceSystem;
  @Field.any({ doc: 'Program: {name, version?, type, family}' }) client!: DeviceClient;
  @Field.text({ doc: 'The user agent' }) info!: string;
  @Field.text({ doc: 'Kind of device: desktop, smartphone, tablet or other' }) type!: string;
}

/** One session of the user. */
export class SessionManagementData {
  @Field.text({ doc: 'Session id' }) sessionId!: string;
  @Field.text({ doc: 'Address of the client' }) ipAddress!: string;
  @Field.text({ doc: 'Identifier of the client' }) client!: string;
  @Field.int({ doc: 'Context id' }) ctxId!: number;
  @Field.int({ doc: 'User id' }) userId!: number;
  @Field.timestamp({ doc: 'Login, ms UTC' }) loginTime!: number;
  @Field.timestamp({ doc: 'Last request, ms UTC' }) lastActive!: number;
  @Field.text({ doc: 'The user agent', optional: true }) userAgent?: string;
  @Field.text({ doc: 'Place of the address; not determined here' }) location!: string;
  @Field.object(() => SessionDevice, { doc: 'Device as the user agent tells' }) device!: SessionDevice;
}

/** A user sees and ends the own sessions. */
export const sessionmanagement = defineModule(
  'sessionmanagement',
  {
    all: action({
      access: OWN_SESSIONS,
      http: 'GET',
      auth: 'session',
      doc: 'The sessions of the user, newest use first',
      reply: many(SessionManagementData),
    }),
    delete: action({
      access: OWN_SESSIONS,
      http: 'PUT',
      auth: 'session',
      idempotency: 'none',
      doc: 'Ends sessions of the user; an id that is none of them refuses the whole call',
      body: jsonListOf<string>('text', { maxItems: 1000 }),
      reply: none(),
      errors: [RequestErrors.badBodyData],
    }),
    clear: action({
      access: OWN_SESSIONS,
      http: 'GET',
      auth: 'session',
      repeatable: false,
      idempotency: 'none',
      doc: 'Ends all sessions of the user but the one of the request',
      reply: none(),
    }),
  },
  { service: 'identity' },
);

/** Scope of an administrative operation on sessions. */
export class CloseSessionsQuery {
  @Field.boolean({
    doc: 'Whole installation (default). The answering node alone (false) is refused with 400: sessions lie in one store that all nodes share',
    optional: true,
  })
  global?: boolean;
}

/** Sessions to close, by context. */
export class CloseSessionsByContextBody {
  @Field.listOf('int', { doc: 'Context ids', maxItems: 1000 }) contextIds!: number[];
}

/** Sessions to close, by id. */
export class CloseSessionsByIdBody {
  @Field.listOf('text', { doc: 'Session ids', maxItems: 1000 }) sessionIds!: string[];
}

/** A user of the installation. */
export class ContextUserTuple {
  @Field.int({ doc: 'Context id', min: 1 }) contextId!: number;
  @Field.int({ doc: 'User id', min: 1 }) userId!: number;
}

/** Sessions to close, by user. */
export class CloseSessionsByUserBody {
  @Field.list(() => ContextUserTuple, { doc: 'Users', maxItems: 1000 }) users!: ContextUserTuple[];
}

/** Sessions that were closed. */
export class CloseSessionsData {
  @Field.listOf('text', { doc: 'Ids of the closed sessions' }) closed!: string[];
}

/** Place of a session in a path. */
export class SessionPath {
  @Field.text({ doc: 'Session id', maxLength: 128 }) session!: string;
}

/** Place of a user in a path. */
export class PreliminaryUserPath {
  @Field.int({ doc: 'Context id' }) context!: number;
  @Field.int({ doc: 'User id' }) user!: number;
}

/** Mail addresses in a path. */
export class MailResolverPath {
  @Field.text({ doc: 'Mail addresses separated by semicolons', maxLength: 65_536 }) mail!: string;
}

/** Owner of a session; empty for an unknown one. */
export interface SessionInfo {
  readonly context?: number;
  readonly user?: number;
  readonly guest?: boolean;
}

/** Owner of a mail address. */
export interface ResolvedMail {
  readonly uid: number;
  readonly cid: number;
  readonly user: { readonly language: string; readonly displayName: string };
}

/** Operations of administrators and cooperating services on sessions and accounts. */
export const sessionAdministration = defineModule(
  'session-administration',
  {
    closeSessionsByContext: rest({
      access: requireRights(CONTEXT_RIGHTS.responsible),
      http: 'POST',
      path: '/admin/v1/close-sessions/by-context',
      callers: ['master', 'reseller'],
      problemDocument: true,
      doc: 'Closes all sessions of contexts',
      query: CloseSessionsQuery,
      body: json(CloseSessionsByContextBody),
      reply: one(CloseSessionsData),
      repeatable: true,
      errors: [RestErrors.invalid],
    }),
    closeSessionsById: rest({
      access: requireRights(CONTEXT_RIGHTS.responsible),
      http: 'POST',
      path: '/admin/v1/close-sessions/by-id',
      callers: ['master', 'reseller'],
      problemDocument: true,
      doc: 'Closes sessions by id',
      query: CloseSessionsQuery,
      body: json(CloseSessionsByIdBody),
      reply: none(),
      repeatable: true,
      errors: [RestErrors.invalid],
    }),
    closeSessionsByUser: rest({
      access: requireRights(CONTEXT_RIGHTS.responsible),
      http: 'POST',
      path: '/admin/v1/close-sessions/by-user',
      callers: ['master', 'reseller'],
      problemDocument: true,
      doc: 'Closes all sessions of users',
      query: CloseSessionsQuery,
      body: json(CloseSessionsByUserBody),
      reply: none(),
      repeatable: true,
      errors: [RestErrors.invalid],
    }),
    getSessionInfo: restAt(SessionPath, {
      http: 'GET',
      path: '/preliminary/session/v1/get/{session}',
      callers: ['service'],
      doc: 'Whose session it is; an empty object for an unknown one. Does not count as a use of the session',
      reply: value<SessionInfo>('{context, user, guest} or {}'),
    }),
    getAllCapabilities: restAt(PreliminaryUserPath, {
      http: 'GET',
      path: '/preliminary/capabilities/v1/all/{context}/{user}',
      callers: ['service'],
      doc: 'Capabilities of a user',
      reply: value<{ id: string; attributes: object }[]>('[{id, attributes}]'),
      errors: [DirectoryErrors.userNotFound],
    }),
    resolveMail: restAt(MailResolverPath, {
      http: 'GET',
      path: '/preliminary/utilities/mailResolver/v1/resolve/{mail}',
      callers: ['service'],
      doc: 'Whose mail addresses these are; unknown ones and those of disabled contexts are left out. At most 500',
      reply: value<Record<string, ResolvedMail>>('by address as asked'),
      errors: [RequestErrors.badParameter],
    }),
  },
  { service: 'identity' },
);

/** Topic of the broadcast about sessions that ended before their time, for what is bound to them (push, sockets). */
export const SESSIONS_CLOSED = 'sessions-closed';

/** Payload of {@link SESSIONS_CLOSED}: the ids, or everything of a user or context. */
export interface SessionsClosed {
  readonly sessionIds: readonly string[];
}
