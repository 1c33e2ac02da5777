import {
  LOCAL_SITE,
  reply,
  RestErrors,
  SITE_AVAILABILITY_ENABLED,
  siteAdministration,
  type CallOf,
  type Handler,
} from '@groupware/contracts';
import { Handles, Logger, Properties } from '@groupware/service-kit';
import { SessionStore } from '@groupware/sessions';
import { toChangeKey, concernsSite, diffAvailabilities } from '../domain/site-changes';
import { SiteState } from '../site-state';

type Operation = typeof siteAdministration.notifySiteAvailability;

/** The same change is handled once in so long, ms. */
const ONCE_IN_MS = 60_000;

/** Takes notice of sites that come and go; the first process that hears of a change handles it for its site. */
@Handles(siteAdministration.notifySiteAvailability)
export class NotifySiteAvailabilityHandler implements Handler<Operation> {
  private readonly log = Logger.for('admin.site');

  constructor(
    private readonly properties: Properties,
    private readonly store: SessionStore,
    private readonly state: SiteState,
  ) {}

  async handle({ body }: CallOf<Operation>) {
    if (!this.properties.serverValue(SITE_AVAILABILITY_ENABLED))
      throw RestErrors.disabled(SITE_AVAILABILITY_ENABLED.key);
    const local = this.properties.serverValue(LOCAL_SITE);
    const changes = diffAvailabilities(body);
    if (!concernsSite(changes, local)) return reply(undefined, { status: 304 });
    const claim = `site:${local}:${toChangeKey(changes)}`;
    if (!(await this.store.claimName(claim, ONCE_IN_MS))) return reply(undefined, { status: 409 });
    try {
      await this.state.applyChanges(local, changes);
    } catch (error) {
      await this.store.releaseName(claim).catch(() => undefined);
      throw error;
    }
    this.log.info({ local, changes }, 'availability of sites changed');
    return reply(undefined, { status: 200 });
  }
}
