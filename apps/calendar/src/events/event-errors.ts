import {
  AppointmentErrors,
  CalendarErrors,
  CatalogueError,
  type ErrorFactory,
  ObjectErrors,
} from '@groupware/contracts';

/** Errors of the shared rules of appointments, as events tell them: the reverse of the table of the page "Errors". */
const TRANSLATIONS: readonly (readonly [
  from: ErrorFactory,
  to: (error: CatalogueError, id: string) => CatalogueError,
])[] = [
  [ObjectErrors.notFound, (_error, id) => CalendarErrors.eventNotFound(id)],
  [AppointmentErrors.wrongFolder, ({ params: [id, folder] }) => CalendarErrors.eventNotInFolder(id, folder)],
  // Of what is confidential others know that it is there.
  [
    AppointmentErrors.notReadable,
    ({ details: { cause } }, id) => (cause instanceof CatalogueError ? cause : CalendarErrors.eventNotFound(id)),
  ],
  [AppointmentErrors.endBeforeStart, () => CalendarErrors.endBeforeStart()],
  [AppointmentErrors.uidTaken, ({ params: [uid] }) => CalendarErrors.uidTaken(uid)],
  [AppointmentErrors.seriesMoves, (_error, id) => CalendarErrors.seriesMoves(id)],
  [AppointmentErrors.occurrenceMoves, (_error, id) => CalendarErrors.occurrenceMoves(id)],
  [AppointmentErrors.unknownPosition, ({ params: [name] }, id) => CalendarErrors.occurrenceNotFound(id, name)],
  [AppointmentErrors.occurrenceGone, ({ params: [name] }, id) => CalendarErrors.occurrenceNotFound(id, name)],
  [AppointmentErrors.notASeries, (_error, id) => CalendarErrors.occurrenceNotFound(id, '')],
  [AppointmentErrors.participantNotFound, ({ params: [name] }) => CalendarErrors.badCalendarUser('', name, '')],
  [AppointmentErrors.externalWithoutAddress, () => CalendarErrors.badCalendarUser('', '', '')],
  [AppointmentErrors.ownerStays, (_error, id) => CalendarErrors.changeForbidden(id, 'attendees')],
  [AppointmentErrors.lastParticipant, (_error, id) => CalendarErrors.changeForbidden(id, 'attendees')],
  [AppointmentErrors.badCharacter, ({ params: [character, field] }) => CalendarErrors.badCharacter(character, field)],
];

/** An error as events tell it. */
export function toEventError(error: unknown, id: string): unknown {
  if (!(error instanceof CatalogueError)) return error;
  const found = TRANSLATIONS.find(([from]) => error.is(from));
  return found ? found[1](error, id).with({ cause: error }) : error;
}

/** Runs work with the shared rules of appointments; their errors are those of events. */
export async function asEvent<T>(id: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw toEventError(error, id);
  }
}
