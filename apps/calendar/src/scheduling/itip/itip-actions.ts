import { Injectable } from '@nestjs/common';
import { type EventData, ItipErrors, type ItipBody, type ItipQuery, type UserPrincipal } from '@groupware/contracts';
import { ModuleDatabase, type Transaction } from '@groupware/persistence';
import type { Appointment } from '../../domain/appointment';
import { EventReader } from '../../events/event-reader';
import { SchedulingOutbox } from '../outgoing/scheduling-outbox';
import { ItipAnalyzer } from './itip-analyzer';
import { ItipDecisions, type ItipDecision, type ItipOutcome, type ItipResult } from './itip-decisions';
import { ItipMessages } from './itip-messages';

/** Methods that an action takes. */
const METHODS = {
  invitation: new Set(['REQUEST', 'PUBLISH', 'ADD']),
  update: new Set(['REQUEST', 'PUBLISH', 'ADD', 'REPLY']),
  reply: new Set(['REPLY']),
  cancellation: new Set(['CANCEL']),
} as const;
const DONE: ReadonlySet<ItipResult> = new Set<ItipResult>(['applied', 'repeated']);

/** Does with scheduling messages what users decide. */
@Injectable()
export class ItipActions {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly messages: ItipMessages,
    private readonly decisions: ItipDecisions,
    private readonly analyzer: ItipAnalyzer,
    private readonly reader: EventReader,
    private readonly outbox: SchedulingOutbox,
  ) {}

  /** The events that were changed, created or deleted. ITIP-0102 where a message cannot be applied so. */
  async act(
    user: UserPrincipal,
    query: ItipQuery,
    body: ItipBody,
    kind: keyof typeof METHODS,
    decision: Omit<ItipDecision, 'comment'> = {},
  ): Promise<EventData[]> {
    const request = await this.reader.prepare(user, query);
    const message = await this.messages.loadMessage(user, query, body);
    if (!METHODS[kind].has(message.method)) throw ItipErrors.notApplicable(message.method);
    const groups = await this.decisions.prepare(user, message);
    const comment = body.message ?? undefined;
    const outcomes = await this.database.transact(user, async (tx) => {
      const done: ItipOutcome[] = [];
      for (const group of groups) {
        const applied = await this.decisions.apply(tx, user, group, { ...decision, comment });
        const refused = applied.find(({ result }) => !DONE.has(result));
        if (refused) throw ItipErrors.notApplicable(refused.result);
        if (decision.addsSender) await this.tellOthers(tx, user, applied);
        done.push(...applied);
      }
      return done;
    });
    const events: EventData[] = [];
    for (const { current, next, before, after } of outcomes) {
      const shown: Appointment | undefined = next ?? current;
      const event = shown && (await this.analyzer.showEvent(request, shown, next ? after : before));
      if (event) events.push(event);
    }
    return events;
  }

  /** Tells all attendees elsewhere who takes part now. */
  private tellOthers(tx: Transaction, user: UserPrincipal, outcomes: readonly ItipOutcome[]): Promise<void> {
    const changed = outcomes.flatMap(({ current, next }) =>
      current && next && current.id === next.id ? [{ before: current, after: next }] : [],
    );
    return this.outbox.announce(tx, user, { changed }, { scope: 'all' });
  }
}
