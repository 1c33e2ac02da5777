import { CalendarErrors } from '../calendar/calendar.errors';
import { action, allowCallers, defineModule, Field, value } from '../kit';

/** A page of the catalogue. */
export class CataloguePageQuery {
  @Field.int({ doc: 'Page', optional: true }) id?: number;
  @Field.text({ doc: 'Language', optional: true, maxLength: 64 }) language?: string;
  @Field.text({ doc: 'Country', optional: true, maxLength: 64 }) country?: string;
}

/** A search in the catalogue. */
export class CatalogueSearchQuery {
  @Field.text({ doc: 'Text', maxLength: 1024 }) query!: string;
  @Field.text({ doc: 'Language', optional: true, maxLength: 64 }) language?: string;
  @Field.int({ doc: 'Most results', optional: true }) maxRows?: number;
}

/** Countries, named in a language. */
export class CatalogueLanguageQuery {
  @Field.text({ doc: 'Language', optional: true, maxLength: 64 }) language?: string;
}

const common = {
  access: allowCallers('there is nothing to be seen'),
  appScopes: ['read_calendar'],
  auth: 'session',
  capability: 'calendar',
  http: 'GET',
  reply: value<object>('nothing: the catalogue is not configured'),
  errors: [CalendarErrors.providerMissing],
} as const;

/** A commercial catalogue of calendars, which no operator configured: each call answers CAL-5030. */
export const chronosCatalogue = defineModule(
  'chronos/schedjoules',
  {
    browse: action({ ...common, doc: 'Browses the catalogue of calendars', query: CataloguePageQuery }),
    search: action({ ...common, doc: 'Searches the catalogue of calendars', query: CatalogueSearchQuery }),
    countries: action({ ...common, doc: 'Lists countries of the catalogue', query: CatalogueLanguageQuery }),
    languages: action({ ...common, doc: 'Lists languages of the catalogue' }),
  },
  { service: 'calendar' },
);
