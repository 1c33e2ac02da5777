import { Injectable } from '@nestjs/common';
import {
  ENFORCE_GRACE_DAYS,
  ENFORCE_GRACE_LOGINS,
  ENFORCE_MULTIFACTOR,
  MULTIFACTOR,
  MULTIFACTOR_PROVIDERS,
  type LoginInformation,
} from '@groupware/contracts';
import type { Reader } from '@groupware/persistence';
import { Clock } from '@groupware/service-kit';
import { SESSION_FACTS } from '@groupware/sessions';
import { Cascade, type ScopedValues } from '../configuration/cascade';
import { FactorDeviceRepository } from './factor-device.repository';

const DAY_MS = 86_400_000;

/** Policy of second factors: which users need one, and which kinds are offered. */
@Injectable()
export class FactorPolicy {
  constructor(
    private readonly devices: FactorDeviceRepository,
    private readonly cascade: Cascade,
    private readonly clock: Clock,
  ) {}

  /** Facts for a new session: it is pending when the user has a second factor or must register one. */
  async resolveSessionFacts(db: Reader, userId: number, scoped: ScopedValues): Promise<Record<string, string>> {
    if (!this.cascade.value(MULTIFACTOR, scoped)) return {};
    const pending =
      (await this.devices.countUsable(db, userId)) > 0 ||
      (await this.getLoginInformation(db, userId, scoped)).enforceMfa;
    return pending ? { [SESSION_FACTS.secondFactor]: 'pending' } : {};
  }

  /** The state of enforcement for a user. */
  async getLoginInformation(db: Reader, userId: number, scoped: ScopedValues): Promise<LoginInformation> {
    const counted = await this.devices.findLoginInformation(db, userId);
    const applies =
      this.cascade.value(MULTIFACTOR, scoped) &&
      this.cascade.value(ENFORCE_MULTIFACTOR, scoped) &&
      (await this.devices.countUsable(db, userId)) === 0;
    const loginCounter = counted?.logins ?? 0;
    const days = counted ? (this.clock.now() - counted.firstLogin) / DAY_MS : 0;
    const graceIsOver =
      loginCounter >= this.cascade.value(ENFORCE_GRACE_LOGINS, scoped) ||
      (counted !== undefined && days >= this.cascade.value(ENFORCE_GRACE_DAYS, scoped));
    return {
      enforceMfa: applies && graceIsOver,
      loginCounter,
      ...(counted ? { firstLogin: new Date(counted.firstLogin).toISOString() } : {}),
    };
  }

  /** True when a kind is offered to the user. */
  isOffered(provider: string, scoped: ScopedValues): boolean {
    return this.cascade
      .value(MULTIFACTOR_PROVIDERS, scoped)
      .split(',')
      .some((name) => name.trim().toUpperCase() === provider);
  }
}
