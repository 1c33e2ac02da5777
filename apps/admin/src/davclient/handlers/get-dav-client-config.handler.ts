import {
  authentication,
  CatalogueError,
  isCatalogueError,
  davClient,
  DavClientErrors,
  jsonText,
  LoginErrors,
  reply,
  RequestErrors,
  type CallOf,
  type DavClientConfigResponse,
  type EdgeRequest,
  type Handler,
  type UserPrincipal,
} from '@groupware/contracts';
import { Caller } from '@groupware/messaging';
import { BASIC_CHALLENGE, Handles } from '@groupware/service-kit';
import { DavClientLimits } from '../dav-client-limits';
import { DavClientAppearance } from '../dav-client-appearance';
import { parseDeviceName } from '../domain/device-name';
import { computeEntityTag, matchesEntityTag } from '../domain/entity-tag';
import { SetUpTokens, type SetUpFacts } from '../set-up-tokens';

type Operation = typeof davClient.getDavClientConfig;

const CHALLENGE = { 'WWW-Authenticate': BASIC_CHALLENGE };
/** Kind of application whose passwords open CalDAV and CardDAV. */
const DAV_APPLICATION = 'dav';
const DAV_CAPABILITIES = ['caldav', 'carddav'];
/** Retry-After where only the account is locked, seconds. */
const LOCKED_SECONDS = 60;
const NOT_MODIFIED = 304;

/** Set-up of a DAV client by a token, and its later questions with credentials. */
@Handles(davClient.getDavClientConfig)
export class GetDavClientConfigHandler implements Handler<Operation> {
  constructor(
    private readonly caller: Caller,
    private readonly tokens: SetUpTokens,
    private readonly limits: DavClientLimits,
    private readonly looks: DavClientAppearance,
  ) {}

  handle({ query, edge }: CallOf<Operation>) {
    return edge!.authorized ? this.answerCredentials(edge!) : this.redeemToken(query.token, edge!);
  }

  /** Takes the token, makes a password, ends the token. What fails in between gives the token free. */
  private async redeemToken(token: string, edge: EdgeRequest): Promise<DavClientConfigResponse> {
    await this.limits.countSetUp(edge.remoteAddress, token);
    const facts = await this.tokens.reserveToken(token);
    if (!facts) throw DavClientErrors.invalidToken();
    let basicAuth: { login: string; password: string } | null;
    let looks: Pick<DavClientConfigResponse, 'customization' | 'supportInfos'>;
    try {
      looks = await this.looks.resolveAppearance(facts);
      basicAuth = await this.createPassword(facts, edge);
    } catch (error) {
      await this.tokens.releaseToken(token);
      throw isUnavailable(error) ? DavClientErrors.unavailable().with({ cause: error }) : error;
    }
    await this.tokens.finishToken(token);
    if (!basicAuth) throw DavClientErrors.invalidToken();
    const baseRoot = `https://${edge.host}/`;
    return {
      baseRoot,
      caldavRoot: `${baseRoot}caldav/`,
      carddavRoot: `${baseRoot}carddav/`,
      basicAuth: { username: basicAuth.login, password: basicAuth.password },
      ...looks,
    };
  }

  private createPassword({ contextId, userId, login, showedFactor }: SetUpFacts, edge: EdgeRequest) {
    return this.caller.call(authentication.devicePassword, {
      principal: { kind: 'internal', service: 'admin', contextId },
      query: { userId, login, scope: DAV_APPLICATION, name: parseDeviceName(edge.userAgent), showedFactor },
    });
  }

  /** Answers looks and help to a user who logs in; the token means nothing here. */
  private async answerCredentials(edge: EdgeRequest) {
    const user = await this.limits.attempt(edge.remoteAddress, async () => {
      const found = await this.authenticateUser(edge);
      return found?.capabilities.some((capability) => DAV_CAPABILITIES.includes(capability)) ? found : undefined;
    });
    if (!user) throw DavClientErrors.invalidCredentials().with({ headers: CHALLENGE });
    const body = JSON.stringify(await this.looks.resolveAppearance(user));
    const tag = computeEntityTag(body);
    const headers = {
      ETag: tag,
      'Cache-Control': 'private, max-age=3600',
      Vary: 'Authorization, Accept-Language',
    };
    return matchesEntityTag(edge.headers['if-none-match'], tag)
      ? reply<DavClientConfigResponse>(jsonText(''), { status: NOT_MODIFIED, headers })
      : reply<DavClientConfigResponse>(jsonText(body), { headers });
  }

  private async authenticateUser({ credentials, remoteAddress }: EdgeRequest): Promise<UserPrincipal | undefined> {
    if (!credentials) return undefined;
    try {
      const { principal } = await this.caller.call(authentication.prove, {
        principal: { kind: 'internal', service: 'admin', contextId: 0 },
        query: { ...credentials, remoteAddress, scopes: [DAV_APPLICATION] },
      });
      return principal;
    } catch (error) {
      if (isUnavailable(error)) throw DavClientErrors.unavailable().with({ cause: error });
      if (isCatalogueError(error, LoginErrors.tooManyAttempts))
        throw RequestErrors.tooManyRequests(LOCKED_SECONDS).with({
          headers: { 'Retry-After': String(LOCKED_SECONDS) },
        });
      throw error;
    }
  }
}

const isUnavailable = (error: unknown): boolean =>
  error instanceof CatalogueError &&
  [RequestErrors.serviceUnavailable, RequestErrors.deadlinePassed].some((factory) => error.is(factory));
