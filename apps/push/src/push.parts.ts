import { directoryProvider } from '@groupware/directory';
import { fileStoreProvider } from '@groupware/file-store';
import { outboundProviders } from '@groupware/outbound';
import type { Provider } from '@nestjs/common';
import { CalendarNewsBuilder } from './calendar-news';
import { CreatePush1763800000000 } from './migrations/1763800000000-create-push';
import { CreateServerKeys1763800100000 } from './migrations/1763800100000-create-server-keys';
import { DeliveryLoop } from './delivery/delivery-loop';
import { DeliveryRepository } from './delivery/delivery.repository';
import { Senders } from './delivery/senders';
import { VapidKeyStore } from './delivery/vapid-keys';
import { MailOwners } from './mail/mail-owners';
import { PushedMailRepository } from './mail/pushed-mail.repository';
import { SchedulingLoop } from './mail/scheduling-loop';
import { CreatePushedMails1763900000000 } from './migrations/1763900000000-create-pushed-mails';
import { NewMails } from './new-mails';
import { NoticeSweep } from './notice-sweep';
import { Outlet } from './outlet';
import { ListenerRepository } from './persistence/listener.repository';
import { NoticeRepository } from './persistence/notice.repository';
import { RecognizeLosses1764100000000 } from './migrations/1764100000000-recognize-losses';
import { StreamReset } from './stream-reset';
import { SubscriptionRepository } from './persistence/subscription.repository';
import { TokenVault } from './token-vault';

/** Steps of the schema in order. */
export const migrations = [
  CreatePush1763800000000,
  CreateServerKeys1763800100000,
  CreatePushedMails1763900000000,
  RecognizeLosses1764100000000,
] as const;

/** Parts that handlers and consumers are made of. */
export const providers: readonly Provider[] = [
  directoryProvider('push'),
  ...outboundProviders,
  fileStoreProvider,
  CalendarNewsBuilder,
  DeliveryLoop,
  DeliveryRepository,
  ListenerRepository,
  MailOwners,
  NewMails,
  NoticeRepository,
  NoticeSweep,
  Outlet,
  PushedMailRepository,
  SchedulingLoop,
  Senders,
  StreamReset,
  SubscriptionRepository,
  TokenVault,
  VapidKeyStore,
];
