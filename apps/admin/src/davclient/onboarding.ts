import { Injectable } from '@nestjs/common';
import {
  DAV_CLIENT_PRODUCT,
  DAV_CLIENT_SCHEME,
  OnboardingErrors,
  type EdgeRequest,
  type OnboardingData,
  type OnboardingType,
  type UserPrincipal,
} from '@groupware/contracts';
import { AnnouncedCapabilities, Properties } from '@groupware/service-kit';
import { SESSION_FACTS, SessionStore } from '@groupware/sessions';
import {
  DEVICES,
  PLATFORMS,
  findScenario,
  SCENARIOS,
  type Device,
  type OnboardingActionId,
  type Scenario,
} from './domain/devices';
import { createProfile } from './domain/profile';
import { SetUpTokens } from './set-up-tokens';

const DEFAULT_PRODUCT = 'Groupware';

/** Settings for manual setup of CalDAV and CardDAV. */
export interface DavAccess {
  readonly caldav_url?: string;
  readonly caldav_login?: string;
  readonly carddav_url?: string;
  readonly carddav_login?: string;
}

/** Set-up of the devices of a user. */
@Injectable()
export class Onboarding {
  constructor(
    private readonly properties: Properties,
    private readonly tokens: SetUpTokens,
    private readonly sessions: SessionStore,
    private readonly announced: AnnouncedCapabilities,
  ) {}

  /** Devices, scenarios and actions, and what of them the user can do. */
  getOnboardingData(user: UserPrincipal): OnboardingData {
    const scenarios = SCENARIOS.map((scenario) => ({
      ...scenario,
      lacking: this.listMissingCapabilities(user, scenario),
    }));
    const matching = DEVICES.flatMap((device) =>
      scenarios.map(({ id, lacking }) => ({
        id: `${device.id}/${id}`,
        enabled: lacking.length === 0,
        ...(lacking.length > 0 ? { missing_capabilities: lacking } : {}),
        actions: [...device.actions],
      })),
    );
    return {
      platforms: PLATFORMS.map(({ icon, ...platform }) => ({ ...platform, enabled: true, icon: [icon] })),
      devices: DEVICES.map(({ id, platform, name, description }) => ({
        id,
        enabled: true,
        platform,
        name,
        description,
        icon: [platform],
        scenarios: SCENARIOS.map((scenario) => `${id}/${scenario.id}`),
      })),
      scenarios: scenarios.map(({ id, name, description, icon, lacking }) => ({
        id,
        enabled: lacking.length === 0,
        name,
        description,
        icon: [icon],
      })),
      actions: [...new Set(DEVICES.flatMap(({ actions }) => actions))].map((id) => ({ id })),
      matching,
    };
  }

  /** Parses an action. @throws ONBRD-0001, ONBRD-0002 */
  parseAction(id: string, actionId: string): { type: OnboardingType; action: OnboardingActionId } {
    const [deviceId, scenarioId] = id.split('/');
    const device: Device | undefined = DEVICES.find((each) => each.id === deviceId);
    const scenario = SCENARIOS.find((each) => each.id === scenarioId);
    if (!device || !scenario || id !== `${device.id}/${scenario.id}`) throw OnboardingErrors.unknownScenario(id);
    const action = device.actions.find((each) => each === actionId);
    if (!action) throw OnboardingErrors.unknownAction(id, actionId);
    return { type: scenario.type, action };
  }

  /** A configuration profile of Apple's devices. @throws ONBRD-0003 */
  async createProfile(user: UserPrincipal, type: OnboardingType, edge: EdgeRequest): Promise<string> {
    this.requireEnabled(user, type);
    const product = (await this.properties.get(DAV_CLIENT_PRODUCT, user)) || DEFAULT_PRODUCT;
    const { displayName, email } = user;
    return createProfile({ type, host: edge.host, login: await this.resolveLogin(user), displayName, email, product });
  }

  /** A link that sets a DAV client up, once. @throws ONBRD-0003, DAVCLIENT-0003 */
  async createLink(user: UserPrincipal, type: OnboardingType, edge: EdgeRequest): Promise<string> {
    this.requireEnabled(user, type);
    const { contextId, userId, locale } = user;
    const session = await this.sessions.peek(user.sessionId);
    const token = await this.tokens.issueToken({
      contextId,
      userId,
      login: await this.resolveLogin(user),
      flow: type,
      locale,
      showedFactor: session?.parameters[SESSION_FACTS.secondFactor] !== undefined,
    });
    const scheme = (await this.properties.get(DAV_CLIENT_SCHEME, user)).replace(/[^a-z0-9+.-]/gi, '');
    return `${scheme}://setup?config=${encodeURIComponent(`https://${edge.host}/davclient/v1/config/${token}`)}`;
  }

  /** Addresses and login name to enter by hand. @throws ONBRD-0003 */
  async getAccess(user: UserPrincipal, type: OnboardingType, edge: EdgeRequest): Promise<DavAccess> {
    this.requireEnabled(user, type);
    const login = await this.resolveLogin(user);
    return {
      ...(type === 'carddav' ? {} : { caldav_url: `https://${edge.host}/caldav/`, caldav_login: login }),
      ...(type === 'caldav' ? {} : { carddav_url: `https://${edge.host}/carddav/`, carddav_login: login }),
    };
  }

  private requireEnabled(user: UserPrincipal, type: OnboardingType): void {
    const lacking = this.listMissingCapabilities(user, findScenario(type));
    if (lacking.length > 0) throw OnboardingErrors.notEnabled(lacking.join(', '));
  }

  private listMissingCapabilities(user: UserPrincipal, scenario: Scenario): string[] {
    const announced = new Set(this.announced.list(user));
    return scenario.capabilities.filter((capability) => !announced.has(capability));
  }

  /** The login name as the user entered it, which is known to lead to his context. */
  private async resolveLogin({ sessionId, login, contextId }: UserPrincipal): Promise<string> {
    return (await this.sessions.peek(sessionId))?.login ?? `${login}@${contextId}`;
  }
}
