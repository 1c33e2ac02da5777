import { CalendarErrors, chronosCatalogue, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';

/** `chronos/schedjoules?action=countries`: CAL-5030. */
@Handles(chronosCatalogue.countries)
export class ChronosSchedjoulesCountriesHandler implements Handler<typeof chronosCatalogue.countries> {
  handle(): Promise<never> {
    return Promise.reject(CalendarErrors.providerMissing('schedjoules'));
  }
}
