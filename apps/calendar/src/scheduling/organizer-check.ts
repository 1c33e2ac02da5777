import { Injectable } from '@nestjs/common';
import { type DirectoryResource, type DirectoryUser, MAX_PARTICIPANTS, type Tenant } from '@groupware/contracts';
import type { CalendarEvent } from '@groupware/icalendar';
import { Directory } from '@groupware/directory';
import { Properties } from '@groupware/service-kit';
import { AppointmentQuota } from '../appointments/appointment-quota';
import { DefaultReplies } from '../participants/default-replies';
import { toMailAddress } from './calendar-address';
import type { Invitee } from './invitation';
import { isFromOrganizer, type SchedulingMessage, type SchedulingResult } from './scheduling-message';

/** Decides whether a message may speak for the organizer of an appointment. Asks other services: use it before a transaction. */
@Injectable()
export class OrganizerCheck {
  constructor(
    private readonly directory: Directory,
    private readonly answers: DefaultReplies,
    private readonly properties: Properties,
    private readonly quota: AppointmentQuota,
  ) {}

  /** The user as who is invited, or why the message is none for him. */
  async checkOrganizer(
    tenant: Tenant,
    user: DirectoryUser,
    message: SchedulingMessage,
  ): Promise<Invitee | SchedulingResult> {
    // Receivers compare with what is stored of a known event.
    if (!isFromOrganizer(message, message.event.organizer?.sentBy)) return 'notFromOrganizer';
    // Local users change appointments themselves: a mail with their address proves nothing.
    if (await this.findLocalOrganizer(tenant, message.event)) return 'internalOrganizer';
    const invitee = await this.loadInvitee(tenant, user, message.event);
    return !invitee.isInvited && message.event.attendees.length > 0 ? 'notInvited' : invitee;
  }

  /** The organizer of an event, where it is a user or resource of the context. */
  async findLocalOrganizer(
    tenant: Tenant,
    event: CalendarEvent,
  ): Promise<DirectoryUser | DirectoryResource | undefined> {
    const organizer = toMailAddress(event.organizer!.uri).toLowerCase();
    return (await this.directory.findByAddresses(tenant, [organizer])).get(organizer);
  }

  /** The user as who may be invited, for messages of any sender and whether or not they name him. */
  async loadInvitee(tenant: Tenant, user: DirectoryUser, event: CalendarEvent): Promise<Invitee> {
    const addresses = new Set([user.email, ...user.aliases].map((address) => address.toLowerCase()));
    const isInvited = event.attendees.some(({ uri }) => addresses.has(toMailAddress(uri).toLowerCase()));
    const people = { entities: new Map([[user.id, user]]), byAddress: new Map() };
    const [defaultReply, maxAttendees, maxAppointments] = await Promise.all([
      this.answers.loadReply(tenant, people, { isPublic: false }),
      this.properties.get(MAX_PARTICIPANTS, { contextId: tenant.contextId }),
      this.quota.getLimit(tenant),
    ]);
    return {
      userId: user.id,
      email: user.email,
      displayName: user.displayName,
      timeZone: user.timeZone,
      defaultReply: defaultReply(user.id, false),
      addresses,
      isInvited,
      maxAttendees,
      maxAppointments,
    };
  }
}
