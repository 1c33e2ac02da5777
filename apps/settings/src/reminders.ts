import { Injectable } from '@nestjs/common';
import {
  CalendarErrors,
  CatalogueError,
  reminderOwners,
  toReminderId,
  type OwnedReminder,
  type ReminderData,
  type ReminderOwner,
  type UserPrincipal,
  type UserRequest,
} from '@groupware/contracts';
import { resolveTimeZone, ZoneOffsets } from '@groupware/recurrence';
import { Clock, describeError, Logger } from '@groupware/service-kit';
import { SettingsConfig } from './configuration/settings.config';

const log = Logger.for('settings.reminders');

/** A module with reminders, by the number under which clients know it. */
export type NumberedOwner = readonly [module: number, owner: ReminderOwner];

/** Answers of several modules, and the errors of those that did not answer. */
export interface OwnerAnswers<T> {
  readonly answers: readonly T[];
  readonly warnings: readonly CatalogueError[];
}

/** Options of a call to an owner of reminders. */
export type OwnerOptions = ReturnType<Reminders['toOptions']>;

/** Asks the modules that keep reminders. */
@Injectable()
export class Reminders {
  constructor(
    private readonly clock: Clock,
    private readonly config: SettingsConfig,
  ) {}

  /** Asks modules side by side; one that does not answer costs its own part only. */
  async askOwners<T>(
    call: UserRequest,
    owners: readonly NumberedOwner[],
    ask: (owner: NumberedOwner, options: OwnerOptions) => Promise<T>,
  ): Promise<OwnerAnswers<T>> {
    const warnings: CatalogueError[] = [];
    const found = await Promise.all(
      owners.map(async (owner) => {
        try {
          return [await ask(owner, this.toOptions(call))];
        } catch (error) {
          if (!(error instanceof CatalogueError)) throw error;
          log.warn({ module: owner[0], error: describeError(error) }, 'module without reminders for now');
          warnings.push(error);
          return [];
        }
      }),
    );
    return { answers: found.flat(), warnings };
  }

  /** Options of a call to a module. */
  toOptions({ principal, deadline, requestId, signal }: UserRequest) {
    return {
      principal: { kind: 'internal', service: 'settings', contextId: principal.contextId, user: principal } as const,
      deadline: Math.min(deadline, this.clock.now() + this.config.ownerTimeoutMs),
      requestId,
      signal,
    };
  }
}

/** Owners of the modules that a client wants; all without a choice. */
export const listOwners = (modules?: readonly number[]): NumberedOwner[] =>
  [...reminderOwners()].filter(([module]) => modules?.includes(module) ?? true);

/** The zone of a request: the parameter, else that of the user. @throws CAL-4001 for an unknown parameter */
export function resolveZone(parameter: string | undefined, { timeZone }: UserPrincipal): ZoneOffsets {
  if (!parameter) return ZoneOffsets.forZone(resolveTimeZone(timeZone) ?? 'UTC');
  const zone = resolveTimeZone(parameter);
  if (!zone) throw CalendarErrors.badTimeZone(parameter);
  return ZoneOffsets.forZone(zone);
}

/** A reminder as clients see it, its times on the clock of `zone`; `now` is ms UTC. */
export const toReminderData = (
  reminder: OwnedReminder,
  module: number,
  { userId, zone, now }: { readonly userId: number; readonly zone: ZoneOffsets; readonly now: number },
): ReminderData => ({
  id: toReminderId(module, reminder.id),
  target_id: reminder.targetId,
  folder: reminder.folderId,
  alarm: zone.instantToLocal(reminder.alarm),
  module,
  server_time: zone.instantToLocal(now),
  user_id: userId,
  last_modified: reminder.lastModified,
  recurrence_position: reminder.position,
});
