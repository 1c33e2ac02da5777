import { defineModule, Field, json, plain, property, rest } from '../../kit';
import { RequestErrors, RestErrors } from '../../edge/edge.errors';

/** Whether notices about the availability of sites are taken. */
export const SITE_AVAILABILITY_ENABLED = property<boolean>({
  key: 'com.example.site.availability.enabled',
  default: false,
  doc: 'Take notices about the availability of sites (data centres). Without, they are refused with HTTP 503.',
});

/** The site of this installation. */
export const LOCAL_SITE = property<string>({
  key: 'com.example.segmenter.localSiteId',
  default: 'default',
  doc: 'Id of the site (data centre) this installation runs in.',
});

/** How much of a site is available. */
export class SiteAvailability {
  @Field.text({ doc: 'Id of the site', minLength: 1, maxLength: 128 }) id!: string;
  @Field.number({ doc: 'From 0, not available, to 1', min: 0, max: 1 }) availability!: number;
}

/** Changes of availability, as the state before and the state now. */
export class SiteAvailabilityUpdates {
  @Field.list(() => SiteAvailability, { doc: 'State before', maxItems: 1000 })
  previousAvailabilities!: SiteAvailability[];
  @Field.list(() => SiteAvailability, { doc: 'State now', maxItems: 1000 }) newAvailabilities!: SiteAvailability[];
}

/** Notices about whole sites. */
export const siteAdministration = defineModule(
  'site-administration',
  {
    notifySiteAvailability: rest({
      http: 'POST',
      path: '/admin/v1/site-availability',
      callers: ['master'],
      idempotency: 'none',
      doc: 'Tells which sites became available or went away. 200: applied; 304: nothing that concerns this site; 409: the same change is or just was handled. A site that is in one list only counts as not available in the other. While the own site is not available the process is not ready; nothing else changes: no segmenter is asked, all shards belong to this site',
      body: json(SiteAvailabilityUpdates),
      reply: plain<undefined>(undefined, { doc: 'No body' }),
      errors: [RestErrors.disabled, RequestErrors.missingParameter],
    }),
  },
  { service: 'admin' },
);
