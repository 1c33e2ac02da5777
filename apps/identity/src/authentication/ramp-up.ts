import { Injectable } from '@nestjs/common';
import {
  CatalogueError,
  clientStart,
  errorObject,
  folders,
  jslob,
  mailAccount,
  oauthAccounts,
  oauthServices,
  RequestErrors,
  type EdgeRequest,
  type UserRequest,
} from '@groupware/contracts';
import { Caller } from '@groupware/messaging';
import { AnnouncedCapabilities, Clock, Logger, describeError } from '@groupware/service-kit';
import { IdentityConfig } from '../configuration/identity.config';
import { UserRows } from '../directory/user-rows';

const log = Logger.for('identity.rampup');

/** Name under which the page of the second factor asks. */
const MULTIFACTOR_PAGE = 'multifactor';

/** Trees of settings that clients load first (API page "Client behaviour", 2.3). */
const TREES = [
  ...['io.ox/core', 'io.ox/core/updates', 'io.ox/mail', 'io.ox/contacts', 'io.ox/calendar', 'io.ox/caldav'],
  ...['io.ox/files', 'io.ox/tours', 'io.ox/mail/emoji', 'io.ox/tasks', 'io.ox/office'],
];
/** Columns of folders that they load first. */
const FOLDER_COLUMNS = [
  ...[1, 2, 3, 4, 5, 6, 20, 23, 300, 301, 302, 304, 305, 306, 307, 308, 309, 310, 311, 312, 313, 314, 315, 316, 317],
  ...[318, 3010, 3020, 3030],
].map(String);
/** The folder whose children clients show first: that of everything private. */
const PRIVATE_FOLDER = '1';
const INBOX_FOLDER = 'default0/INBOX';

type Load = () => Promise<unknown>;
/** A part of the start data. It is closed before the second factor unless it says otherwise. */
interface Part {
  /** How it is loaded; of a part that has entries, each is loaded by itself. */
  readonly load: Load | Readonly<Record<string, Load>>;
  /** The page of the second factor needs it. */
  readonly onMultifactorPage?: true;
  /** Open before the second factor, as nothing in it is the user's. */
  readonly beforeSecondFactor?: true;
}
/** Parts by their names. */
type Parts = Readonly<Record<string, Part>>;

/** The call for start data. */
interface StartCall extends UserRequest {
  readonly edge?: EdgeRequest;
}

/** Loads the start data of a client, by the names of the calls that they replace. */
@Injectable()
export class RampUpLoader {
  constructor(
    private readonly rows: UserRows,
    private readonly caller: Caller,
    private readonly clock: Clock,
    private readonly config: IdentityConfig,
    private readonly announced: AnnouncedCapabilities,
  ) {}

  /**
   * Loads all parts side by side, as far as the client needs them; before the second factor only those of its page that
   * hold nothing of the user, with the configuration of the server alone. A part that fails is left out and told under
   * `errors`; its client asks again by itself.
   */
  async loadAll(call: StartCall, client?: string | null): Promise<Record<string, unknown>> {
    const { principal } = call;
    const asked = { ...this.toOptions(call), principal };
    const host = call.edge?.host ?? '';
    const isPending = principal.secondFactorPending === true;
    const tree = { tree: '0', altNames: true, timezone: 'UTC' };
    const hasMailbox = this.announced.list(principal).includes('webmail');
    const folderIds = [PRIVATE_FOLDER, ...(hasMailbox ? [INBOX_FOLDER] : [])];
    const parts: Parts = {
      serverConfig: {
        load: () =>
          this.caller.call(clientStart.serverConfig, {
            ...this.toOptions(call),
            principal: {
              kind: 'internal',
              service: 'identity',
              contextId: principal.contextId,
              ...(isPending ? {} : { user: principal }),
            },
            query: { host },
          }),
        onMultifactorPage: true,
        beforeSecondFactor: true,
      },
      jslobs: {
        load: async () => {
          const trees = await this.caller.call(jslob.list, { ...asked, query: {}, body: TREES });
          return Object.fromEntries(trees.map((tree) => [tree.id, tree]));
        },
        onMultifactorPage: true,
      },
      user: { load: () => this.rows.findUserData(principal, principal.userId) },
      folderlist: {
        load: async () => {
          const query = { ...tree, parent: PRIVATE_FOLDER, columns: FOLDER_COLUMNS };
          return { [PRIVATE_FOLDER]: await this.caller.call(folders.list, { ...asked, query }) };
        },
      },
      folder: {
        load: Object.fromEntries(
          folderIds.map((id) => [
            id,
            () => this.caller.call(folders.get, { ...asked, query: { ...tree, tree: '1', id } }),
          ]),
        ),
      },
      ...(principal.capabilities.includes('webmail')
        ? { accounts: { load: () => this.caller.call(mailAccount.all, { ...asked, query: {} }) } }
        : {}),
      ...(principal.guest
        ? {}
        : {
            oauth: {
              load: async () => {
                const [services, accounts] = await Promise.all([
                  this.caller.call(oauthServices.all, asked),
                  this.caller.call(oauthAccounts.all, { ...asked, query: {} }),
                ]);
                // The server has the key itself, so that no secret of users can be lost.
                return { services, accounts, secretCheck: { secretWorks: true } };
              },
            },
          }),
    };
    if (isPending) return { ...(await this.settle(select(parts, 'beforeSecondFactor'))), oauth: {} };
    if (client === MULTIFACTOR_PAGE) return { ...(await this.settle(select(parts, 'onMultifactorPage'))), oauth: {} };
    return this.settle(parts);
  }

  private toOptions({ deadline, requestId, signal }: StartCall) {
    return { requestId, signal, deadline: Math.min(deadline, this.clock.now() + this.config.startDataTimeoutMs) };
  }

  private async settle(parts: Parts): Promise<Record<string, unknown>> {
    const errors: Record<string, unknown> = {};
    const loadEntry = async (part: string, name: string, load: Load): Promise<(readonly [string, unknown])[]> => {
      try {
        return [[name, await load()]];
      } catch (error) {
        log.warn({ part, name, error: describeError(error) }, 'start data without a part');
        const told = error instanceof CatalogueError ? error : RequestErrors.unexpected().with({ cause: error });
        errors[part] = errorObject(told, 'en_US');
        return [];
      }
    };
    const loadPart = async ([part, { load }]: [string, Part]): Promise<(readonly [string, unknown])[]> => {
      if (typeof load === 'function') return loadEntry(part, part, load);
      const entries = await Promise.all(Object.entries(load).map(([name, each]) => loadEntry(part, name, each)));
      return entries.some(({ length }) => length > 0) ? [[part, Object.fromEntries(entries.flat())]] : [];
    };
    const loaded = await Promise.all(Object.entries(parts).map(loadPart));
    return { ...Object.fromEntries(loaded.flat()), ...(Object.keys(errors).length > 0 ? { errors } : {}) };
  }
}

const select = (parts: Parts, mark: 'beforeSecondFactor' | 'onMultifactorPage'): Parts =>
  Object.fromEntries(Object.entries(parts).filter(([, part]) => part[mark]));
