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
import { AppointmentCreator } from '../appointment-creator';
import { PARTICIPANT } from '../domain/appointment';
import { newContent } from '../domain/appointment-input';
import { requestZone } from '../domain/request-zone';
import { calendarFolderId } from '../folder-access';

/** `new`: a single appointment or a series, unless something stands in the way. */
@Handles(calendar.new)
export class NewHandler implements Handler<typeof calendar.new> {
  constructor(private readonly creator: AppointmentCreator) {}

  async handle({ principal, query, body }: CallOf<typeof calendar.new>) {
    if (body.id != null) throw AppointmentErrors.idGiven();
    if (!body.folder_id) throw RequestErrors.missingParameter('folder');
    const zone = requestZone(query.timezone, principal.timeZone);
    const { stamp, ...result } = await this.creator.create(principal, {
      folderId: calendarFolderId(body.folder_id),
      content: newContent(body, zone, principal),
      // Some clients name users only.
      participants: body.participants ?? (body.users ?? []).map(({ id }) => ({ type: PARTICIPANT.user, id })),
      own: body,
      checkUid: Boolean(body.uid),
      ignoreSoft: body.ignore_conflicts ?? false,
      zone,
    });
    return reply<AppointmentCreation>(result, stamp === undefined ? {} : { timestamp: stamp });
  }
}
