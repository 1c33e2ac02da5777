import { directoryProvider } from '@groupware/directory';
import type { Provider } from '@nestjs/common';
import { CalendarTeller } from './calendar-teller';
import { CreatePush1763800000000 } from './migrations/1763800000000-create-push';
import { NoticeSweep } from './notice-sweep';
import { Outlet } from './outlet';
import { NoticeRepository } from './persistence/notice.repository';
import { SubscriptionRepository } from './persistence/subscription.repository';
import { TokenVault } from './token-vault';

/** Steps of the schema in order. */
export const migrations = [CreatePush1763800000000] as const;

/** What handlers and consumers are made of. */
export const providers: readonly Provider[] = [
  directoryProvider('push'),
  CalendarTeller,
  NoticeRepository,
  NoticeSweep,
  Outlet,
  SubscriptionRepository,
  TokenVault,
];
