import {
  AppointmentErrors,
  calendar,
  reply,
  RequestErrors,
  type AppointmentCreation,
  type CallOf,
  type Handler,
} from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { AppointmentCreator } from '../appointments/appointment-creator';
import { PARTICIPANT } from '../domain/appointment';
import { parseNewContent } from '../domain/appointment-input';
import { resolveRequestZone } from '../domain/request-zone';
import { FeedRefusal } from '../feeds/feed-refusal';
import { parseCalendarFolderId } from '../folders/folder-access';

/** `new`: a single appointment or a series, unless something stands in the way. */
@Handles(calendar.new)
export class NewHandler implements Handler<typeof calendar.new> {
  constructor(
    private readonly creator: AppointmentCreator,
    private readonly refusal: FeedRefusal,
  ) {}

  async handle({ principal, query, body }: CallOf<typeof calendar.new>) {
    if (body.id != null) throw AppointmentErrors.idGiven();
    if (!body.folder_id) throw RequestErrors.missingParameter('folder');
    await this.refusal.requireOwnCalendars(principal, body.folder_id);
    const zone = resolveRequestZone(query.timezone, principal.timeZone);
    const { stamp, ...result } = await this.creator.createAppointment(
      principal,
      {
        folderId: parseCalendarFolderId(body.folder_id),
        content: parseNewContent(body, zone, principal),
        // Some clients name users only.
        participants: body.participants ?? (body.users ?? []).map(({ id }) => ({ type: PARTICIPANT.user, id })),
        own: body,
        checkUid: Boolean(body.uid),
        ignoreSoft: body.ignore_conflicts ?? false,
        scheduling: { scope: body.notification === false ? 'none' : 'all' },
      },
      zone,
    );
    return reply<AppointmentCreation>(result, stamp === undefined ? {} : { timestamp: stamp });
  }
}
