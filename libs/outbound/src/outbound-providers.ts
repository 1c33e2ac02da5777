import type { Provider } from '@nestjs/common';
import { OutboundGuard } from './outbound-guard';
import { OutboundSettings } from './outbound-settings';
import { WebClient } from './web-client';

/** Providers of the guard and of HTTP through it. The service lists {@link OutboundSettings} among its settings. */
export const outboundProviders: readonly Provider[] = [
  {
    provide: OutboundGuard,
    inject: [OutboundSettings],
    useFactory: (settings: OutboundSettings) => new OutboundGuard(settings),
  },
  { provide: WebClient, inject: [OutboundGuard], useFactory: (guard: OutboundGuard) => new WebClient(guard) },
];
