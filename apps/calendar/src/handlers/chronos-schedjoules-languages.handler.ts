import { CalendarErrors, chronosCatalogue, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';

/** `chronos/schedjoules?action=languages`: CAL-5030. */
@Handles(chronosCatalogue.languages)
export class ChronosSchedjoulesLanguagesHandler implements Handler<typeof chronosCatalogue.languages> {
  handle(): Promise<never> {
    return Promise.reject(CalendarErrors.providerMissing('schedjoules'));
  }
}
