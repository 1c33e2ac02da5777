import { CalendarErrors, chronosCatalogue, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';

/** `chronos/schedjoules?action=search`: CAL-5030. */
@Handles(chronosCatalogue.search)
export class ChronosSchedjoulesSearchHandler implements Handler<typeof chronosCatalogue.search> {
  handle(): Promise<never> {
    return Promise.reject(CalendarErrors.providerMissing('schedjoules'));
  }
}
