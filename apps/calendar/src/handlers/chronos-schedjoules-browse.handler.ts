import { CalendarErrors, chronosCatalogue, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';

/** `chronos/schedjoules?action=browse`: CAL-5030. */
@Handles(chronosCatalogue.browse)
export class ChronosSchedjoulesBrowseHandler implements Handler<typeof chronosCatalogue.browse> {
  handle(): Promise<never> {
    return Promise.reject(CalendarErrors.providerMissing('schedjoules'));
  }
}
