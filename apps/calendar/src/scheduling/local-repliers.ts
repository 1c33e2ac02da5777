import { Injectable } from '@nestjs/common';
import type { UserPrincipal } from '@groupware/contracts';
import { Directory, loadPeople, type People } from '@groupware/directory';
import type { CalendarEvent } from '@groupware/icalendar';
import { PARTICIPANT } from '../domain/appointment';
import { toMailAddress } from './calendar-address';
import type { SchedulingMessage } from './scheduling-message';

/** Users of this context whose addresses answers name. Asks the directory: use it before a transaction. */
@Injectable()
export class LocalRepliers {
  constructor(private readonly directory: Directory) {}

  /** Loads all users whom answers name: for messages on which a user decides. */
  load(user: UserPrincipal, events: readonly CalendarEvent[], more: readonly string[] = []): Promise<People> {
    const addresses = [...events.flatMap(({ attendees }) => attendees.map(({ uri }) => toMailAddress(uri))), ...more];
    const participants = addresses.map((mail) => ({ type: PARTICIPANT.external, mail }));
    return loadPeople(this.directory, user, participants, []);
  }

  /**
   * Loads the user who sent a mail: for mails that are applied without a decision. Answers for other users do not count here, neither
   * with SENT-BY nor where any sender may answer, and neither do those of an organizer to the own invitation.
   */
  async loadSender(user: UserPrincipal, { event, sender }: SchedulingMessage): Promise<People> {
    if (sender === undefined) return { entities: new Map(), byAddress: new Map() };
    const { entities, byAddress } = await this.load(user, [event], [sender]);
    const id = byAddress.get(sender.toLowerCase())?.id;
    const isSender = (entity: { readonly id: number }): boolean => entity.id === id && id !== user.userId;
    return { entities, byAddress: new Map([...byAddress].filter(([, entity]) => isSender(entity))) };
  }
}
